#pragma once

#include <string>
#include <vector>

namespace softalign {

// Whether a chart can show a value: finite, and small enough that differences do not overflow.
bool is_drawable(double value);

// An axis from `low` to `high` with marks at round numbers.
struct Axis {
    double low = 0.0;
    double high = 1.0;
    std::vector<double> ticks;  // ascending, within low..high, at least two
    double step = 1.0;          // between ticks

    // 0 at low, 1 at high.
    double position(double value) const { return (value - low) / (high - low); }
};

// An axis that covers all drawable values, with about `intervals` intervals of 1, 2 or 5 times a power of ten. If the
// values are all equal or there are none, the axis surrounds them. `from_zero`: includes 0.
Axis make_axis(const std::vector<double>& values, bool from_zero, int intervals);

// The same without margins beyond the values: for updates.
Axis make_tight_axis(const std::vector<double>& values, int intervals);

// The label of a tick, with as many digits as the step needs: "0.25", "2000", "4e-4".
std::string tick_text(double value, double step);

// A value with at most `digits` significant digits, without trailing zeros: "35.86", "0.0004", "1.2e-5".
std::string value_text(double value, int digits = 5);

}  // namespace softalign
