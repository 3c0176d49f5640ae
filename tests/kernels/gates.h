#pragma once

#include <cmath>
#include <cstdint>

#include "arrays.h"
#include "kernels/unit_shape.h"

namespace softalign {

// What the tests of recurrent units have in common.

inline double plain_sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

template <typename T>
constexpr double gate_tolerance = 5e-6;  // the sums under sigma reach 40, where the last place is 4e-6
template <>
constexpr double gate_tolerance<double> = 1e-14;

// Element i [N,H] among gate `gate` of an array [N,G*H].
inline std::int64_t gate_place(const UnitShape& shape, std::int64_t gates, std::int64_t i, std::int64_t gate) {
    return gates * (i / shape.width) * shape.width + gate * shape.width + i % shape.width;
}

// An array [N,G*H] is expected(i, gate) for element i [N,H].
template <typename T, typename Function>
void expect_gates(const Array<T>& found, const UnitShape& shape, std::int64_t gates, Function expected) {
    const std::int64_t width = shape.width;
    expect_array(found, gate_tolerance<T>, [&](std::int64_t place) {
        const std::int64_t gate = place % (gates * width) / width;
        return expected(place / (gates * width) * width + place % width, gate);
    });
}

// Calls function(shape, scale) for rows and widths around those of vectors, and for gates that saturate.
template <typename Function>
void for_each_unit(Function function) {
    for (const std::int64_t width : kernel_lengths()) {
        for (const std::int64_t rows : {1, 3}) {
            for (const double scale : {1.0, 20.0}) {
                function(UnitShape{rows, width}, scale);
            }
        }
    }
}

}  // namespace softalign
