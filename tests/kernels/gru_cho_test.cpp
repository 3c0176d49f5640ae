#include "kernels/gru_cho.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "arrays.h"
#include "gates.h"

namespace softalign {
namespace {

// The inputs of one call of each function, and what comes of them, one number at a time in double. What the products
// would be is drawn.
template <typename T>
struct PlainCho {
    PlainCho(const UnitShape& given, double scale)
        : shape(given),
          projected(3 * given.rows * given.width, 1, scale),
          recurrent(2 * given.rows * given.width, 2, scale),
          recurrent_n(given.rows * given.width, 3, scale),
          entering(given.rows * given.width, 4),
          hidden(given.rows * given.width, 5) {}

    double gate(std::int64_t i, std::int64_t number) const {
        const double x = projected[gate_place(shape, 3, i, number)];
        return number == 2 ? std::tanh(x + recurrent_n[i])
                           : plain_sigmoid(x + recurrent[gate_place(shape, 2, i, number)]);
    }

    UnitShape shape;
    Array<T> projected;
    Array<T> recurrent;
    Array<T> recurrent_n;
    Array<T> entering;
    Array<T> hidden;
};

template <typename T>
void expect_cho(const UnitShape& shape, double scale) {
    const PlainCho<T> plain(shape, scale);
    const std::int64_t size = shape.rows * shape.width;
    Array<T> gates(3 * size, 6);
    Array<T> reset(size, 7);
    Array<T> next(size, 8);
    cho_reset_forward<T>(plain.projected.data(), plain.recurrent.data(), plain.entering.data(), gates.data(),
                         reset.data(), shape);
    cho_update_forward<T>(plain.projected.data(), plain.recurrent_n.data(), plain.hidden.data(), gates.data(),
                          next.data(), shape);
    expect_gates(gates, shape, 3, [&](std::int64_t i, std::int64_t gate) { return plain.gate(i, gate); });
    expect_array(reset, gate_tolerance<T>, [&](std::int64_t i) { return plain.gate(i, 0) * plain.entering[i]; });
    expect_array(next, gate_tolerance<T>, [&](std::int64_t i) {
        const double z = plain.gate(i, 1);
        return (1.0 - z) * plain.hidden[i] + z * plain.gate(i, 2);
    });

    const Array<T> grad_next(size, 9);
    const Array<T> grad_reset(size, 10);
    Array<T> grad_gates(3 * size, 11);
    Array<T> grad_hidden = grad_next;     // in place
    Array<T> grad_entering = grad_reset;  // likewise
    cho_update_backward<T>(gates.data(), plain.hidden.data(), grad_hidden.data(), grad_gates.data(), grad_hidden.data(),
                           shape);
    cho_reset_backward<T>(gates.data(), plain.entering.data(), grad_entering.data(), grad_gates.data(),
                          grad_entering.data(), shape);
    expect_gates(grad_gates, shape, 3, [&](std::int64_t i, std::int64_t gate) {
        const double value = plain.gate(i, gate);
        return gate == 0   ? grad_reset[i] * plain.entering[i] * value * (1.0 - value)
               : gate == 1 ? grad_next[i] * (plain.gate(i, 2) - plain.hidden[i]) * value * (1.0 - value)
                           : grad_next[i] * plain.gate(i, 1) * (1.0 - value * value);
    });
    expect_array(grad_hidden, gate_tolerance<T>,
                 [&](std::int64_t i) { return grad_next[i] * (1.0 - plain.gate(i, 1)); });
    expect_array(grad_entering, gate_tolerance<T>, [&](std::int64_t i) { return grad_reset[i] * plain.gate(i, 0); });
}

TEST(GruChoKernels, AreThePlainForm) {
    for_each_unit(expect_cho<float>);
    for_each_unit(expect_cho<double>);
}

}  // namespace
}  // namespace softalign
