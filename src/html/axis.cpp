#include "html/chart.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

constexpr double largest = 1e100;

double nice_step(double span, int intervals) {
    const double raw = span / std::max(intervals, 1);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw * (1.0 - 1e-9)) {
            return factor * power;
        }
    }
    return 10.0 * power;
}

// The drawable values' least and greatest, widened where there is nothing between them.
std::pair<double, double> extent(const std::vector<double>& values, bool from_zero) {
    double low = INFINITY;
    double high = -INFINITY;
    for (const double value : values) {
        if (is_drawable(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (low > high) {
        return {0.0, 1.0};
    }
    if (from_zero) {
        low = std::min(low, 0.0);
        high = std::max(high, 0.0);
    }
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= 1e-9 * size || size == 0.0) {
        const double room = size > 0.0 ? 0.1 * size : 1.0;
        return {low - (from_zero && low == 0.0 ? 0.0 : room), high + room};
    }
    return {low, high};
}

void add_ticks(Axis& axis) {
    const double first = std::ceil(axis.low / axis.step - 1e-6);
    const double last = std::floor(axis.high / axis.step + 1e-6);
    for (double i = first; i <= last; ++i) {
        axis.ticks.push_back(i == 0.0 ? 0.0 : i * axis.step);
    }
}

// "1.2e-05" -> "1.2e-5".
std::string without_padding(std::string text) {
    const auto e = text.find('e');
    if (e != std::string::npos) {
        std::size_t digit = e + 1;
        digit += text[digit] == '-' || text[digit] == '+' ? 1 : 0;
        while (digit + 1 < text.size() && text[digit] == '0') {
            text.erase(digit, 1);
        }
        if (text[e + 1] == '+') {
            text.erase(e + 1, 1);
        }
    }
    return text;
}

}  // namespace

bool is_drawable(double value) {
    return std::isfinite(value) && std::abs(value) <= largest;
}

Axis make_axis(const std::vector<double>& values, bool from_zero, int intervals) {
    const auto [low, high] = extent(values, from_zero);
    Axis axis;
    axis.step = nice_step(high - low, intervals);
    axis.low = std::floor(low / axis.step + 1e-6) * axis.step;
    axis.high = std::ceil(high / axis.step - 1e-6) * axis.step;
    add_ticks(axis);
    return axis;
}

Axis make_tight_axis(const std::vector<double>& values, int intervals) {
    const auto [low, high] = extent(values, false);
    Axis axis;
    axis.low = low;
    axis.high = high;
    axis.step = nice_step(high - low, intervals);
    add_ticks(axis);
    if (axis.ticks.size() < 2) {
        return make_axis(values, false, intervals);
    }
    return axis;
}

std::string tick_text(double value, double step) {
    if (value == 0.0 || step < 0.99e-5 || std::abs(value) >= 1e7) {
        return value_text(value, 3);
    }
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return fmt::format("{:.{}f}", value, decimals);
}

std::string value_text(double value, int digits) {
    if (!std::isfinite(value)) {
        return "not finite";
    }
    return without_padding(fmt::format("{:.{}g}", value, digits));
}

}  // namespace softalign
