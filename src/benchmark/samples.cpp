#include "benchmark/samples.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace softalign {

double Samples::median() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
}

double Samples::lowest() const {
    return *std::min_element(values_.begin(), values_.end());
}

double Samples::highest() const {
    return *std::max_element(values_.begin(), values_.end());
}

}  // namespace softalign
