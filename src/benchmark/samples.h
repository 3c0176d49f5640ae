#pragma once

#include <vector>

namespace softalign {

// The same thing measured several times.
class Samples {
public:
    void add(double value) { values_.push_back(value); }

    // In the order in which they were measured.
    const std::vector<double>& values() const { return values_; }

    // Of two in the middle their mean. REQUIRES of the three: there is a value.
    double median() const;
    double lowest() const;
    double highest() const;

private:
    std::vector<double> values_;
};

}  // namespace softalign
