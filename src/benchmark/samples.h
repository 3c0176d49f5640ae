#pragma once

#include <vector>

namespace softalign {

// Repeated measurements of the same quantity.
class Samples {
public:
    void add(double value) { values_.push_back(value); }

    // In the order in which they were measured.
    const std::vector<double>& values() const { return values_; }

    // The median of an even number is the mean of the middle two. All three REQUIRE at least one value.
    double median() const;
    double lowest() const;
    double highest() const;

private:
    std::vector<double> values_;
};

}  // namespace softalign
