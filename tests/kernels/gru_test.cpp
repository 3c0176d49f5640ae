#include "kernels/gru.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "arrays.h"

namespace softalign {
namespace {

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

template <typename T>
constexpr double tolerance = 5e-6;  // the sums under sigma reach 40, where the last place is 4e-6
template <>
constexpr double tolerance<double> = 1e-14;

// The inputs and the gates of one call, computed one number at a time in double.
template <typename T>
struct PlainGru {
    PlainGru(const GruShape& given, double scale)
        : shape(given),
          projected(3 * given.rows * given.width, 1, scale),
          recurrent(3 * given.rows * given.width, 2, scale),
          hidden(given.rows * given.width, 3) {}

    // The place of element i [N,H] among gate 0, 1 or 2 of [N,3H].
    std::int64_t place(std::int64_t i, std::int64_t gate) const {
        return 3 * (i / shape.width) * shape.width + gate * shape.width + i % shape.width;
    }
    double sum(std::int64_t i, std::int64_t gate) const {
        return projected[place(i, gate)] + recurrent[place(i, gate)];
    }
    double r(std::int64_t i) const { return sigmoid(sum(i, 0)); }
    double z(std::int64_t i) const { return sigmoid(sum(i, 1)); }
    double u(std::int64_t i) const { return recurrent[place(i, 2)]; }
    double n(std::int64_t i) const { return std::tanh(projected[place(i, 2)] + r(i) * u(i)); }

    GruShape shape;
    Array<T> projected;
    Array<T> recurrent;
    Array<T> hidden;
};

template <typename T, typename Function>
void expect_gates(const Array<T>& found, const PlainGru<T>& plain, Function expected) {
    const std::int64_t width = plain.shape.width;
    expect_array(found, tolerance<T>, [&](std::int64_t at) {
        const std::int64_t gate = at % (3 * width) / width;
        return expected(at / (3 * width) * width + at % width, gate);
    });
}

template <typename T>
void expect_step(const GruShape& shape, double scale) {
    const PlainGru<T> plain(shape, scale);
    const std::int64_t size = shape.rows * shape.width;
    Array<T> gates(3 * size, 4);
    Array<T> recurrent_n(size, 5);
    Array<T> next(size, 6);
    gru_forward(plain.projected.data(), plain.recurrent.data(), plain.hidden.data(), gates.data(), recurrent_n.data(),
                next.data(), shape);
    expect_gates(gates, plain, [&](std::int64_t i, std::int64_t gate) {
        return gate == 0 ? plain.r(i) : gate == 1 ? plain.z(i) : plain.n(i);
    });
    expect_array(recurrent_n, 0.0, [&](std::int64_t i) { return plain.u(i); });
    expect_array(next, tolerance<T>,
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
    expect_gates(grad_projected, plain, [&](std::int64_t i, std::int64_t gate) { return of_gate(i, gate, false); });
    expect_gates(grad_recurrent, plain, [&](std::int64_t i, std::int64_t gate) { return of_gate(i, gate, true); });
    expect_array(grad_hidden, tolerance<T>, [&](std::int64_t i) { return grad_next[i] * plain.z(i); });
}

TEST(GruKernels, AreThePlainForm) {
    for (const std::int64_t width : kernel_lengths()) {
        for (const std::int64_t rows : {1, 3}) {
            for (const double scale : {1.0, 20.0}) {
                expect_step<float>({rows, width}, scale);
                expect_step<double>({rows, width}, scale);
            }
        }
    }
}

}  // namespace
}  // namespace softalign
