#include "kernels/gru.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "arrays.h"
#include "gates.h"

namespace softalign {
namespace {

// The inputs and the gates of one call, computed one number at a time in double.
template <typename T>
struct PlainGru {
    PlainGru(const UnitShape& given, double scale)
        : shape(given),
          projected(3 * given.rows * given.width, 1, scale),
          recurrent(3 * given.rows * given.width, 2, scale),
          hidden(given.rows * given.width, 3) {}

    // The place of element i [N,H] among gate 0, 1 or 2 of [N,3H].
    std::int64_t place(std::int64_t i, std::int64_t gate) const { return gate_place(shape, 3, i, gate); }
    double sum(std::int64_t i, std::int64_t gate) const {
        return projected[place(i, gate)] + recurrent[place(i, gate)];
    }
    double r(std::int64_t i) const { return plain_sigmoid(sum(i, 0)); }
    double z(std::int64_t i) const { return plain_sigmoid(sum(i, 1)); }
    double u(std::int64_t i) const { return recurrent[place(i, 2)]; }
    double n(std::int64_t i) const { return std::tanh(projected[place(i, 2)] + r(i) * u(i)); }

    UnitShape shape;
    Array<T> projected;
    Array<T> recurrent;
    Array<T> hidden;
};

template <typename T>
void expect_step(const UnitShape& shape, double scale) {
    const PlainGru<T> plain(shape, scale);
    const std::int64_t size = shape.rows * shape.width;
    Array<T> gates(3 * size, 4);
    Array<T> recurrent_n(size, 5);
    Array<T> next(size, 6);
    gru_forward(plain.projected.data(), plain.recurrent.data(), plain.hidden.data(), gates.data(), recurrent_n.data(),
                next.data(), shape);
    expect_gates(gates, shape, 3, [&](std::int64_t i, std::int64_t gate) {
        return gate == 0 ? plain.r(i) : gate == 1 ? plain.z(i) : plain.n(i);
    });
    expect_array(recurrent_n, 0.0, [&](std::int64_t i) { return plain.u(i); });
    expect_array(next, gate_tolerance<T>,
                 [&](std::int64_t i) { return (1.0 - plain.z(i)) * plain.n(i) + plain.z(i) * plain.hidden[i]; });

    const Array<T> grad_next(size, 7);
    Array<T> grad_projected(3 * size, 8);
    Array<T> grad_recurrent(3 * size, 9);
    Array<T> grad_hidden = grad_next;  // in place
    gru_backward(gates.data(), recurrent_n.data(), plain.hidden.data(), grad_hidden.data(), grad_projected.data(),
                 grad_recurrent.data(), grad_hidden.data(), shape);
    const auto of_gate = [&](std::int64_t i, std::int64_t gate, bool recurrent) {
        const double r = plain.r(i);
        const double z = plain.z(i);
        const double n = plain.n(i);
        const double of_n = grad_next[i] * (1.0 - z) * (1.0 - n * n);
        return gate == 0   ? of_n * plain.u(i) * r * (1.0 - r)
               : gate == 1 ? grad_next[i] * (plain.hidden[i] - n) * z * (1.0 - z)
               : recurrent ? of_n * r
                           : of_n;
    };
    expect_gates(grad_projected, shape, 3, [&](std::int64_t i, std::int64_t gate) { return of_gate(i, gate, false); });
    expect_gates(grad_recurrent, shape, 3, [&](std::int64_t i, std::int64_t gate) { return of_gate(i, gate, true); });
    expect_array(grad_hidden, gate_tolerance<T>, [&](std::int64_t i) { return grad_next[i] * plain.z(i); });
}

TEST(GruKernels, AreThePlainForm) {
    for_each_unit(expect_step<float>);
    for_each_unit(expect_step<double>);
}

}  // namespace
}  // namespace softalign
