#include "metrics/edit_rate.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace softalign {

namespace {

template <class Real>
Real percent_of(Real edits, Real length) {
    if (length > Real(0)) {
        return Real(100) * (edits / length);
    }
    return edits > Real(0) ? Real(100) : Real(0);
}

}  // namespace

double EditRate::score(const double* sums) const {
    return percent_of(sums[0], sums[1]);
}

double EditRate::float32_score(const float* sums) const {
    return static_cast<double>(percent_of(sums[0], sums[1]));
}

std::string EditRate::details(const double* sums) const {
    return nlohmann::ordered_json{{"num_edits", static_cast<std::int64_t>(sums[0])}, {"ref_length", sums[1]}}.dump();
}

}  // namespace softalign
