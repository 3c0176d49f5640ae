#include "kernels/lstm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "arrays.h"
#include "gates.h"

namespace softalign {
namespace {

// The inputs of one call, and what comes of them, one number at a time in double.
template <typename T>
struct PlainLstm {
    PlainLstm(const UnitShape& given, double scale)
        : shape(given),
          projected(4 * given.rows * given.width, 1, scale),
          recurrent(4 * given.rows * given.width, 2, scale),
          cell(given.rows * given.width, 3) {}

    double gate(std::int64_t i, std::int64_t number) const {
        const std::int64_t place = gate_place(shape, 4, i, number);
        const double sum = projected[place] + recurrent[place];
        return number == 2 ? std::tanh(sum) : plain_sigmoid(sum);
    }
    double next_cell(std::int64_t i) const { return gate(i, 1) * cell[i] + gate(i, 0) * gate(i, 2); }

    UnitShape shape;
    Array<T> projected;
    Array<T> recurrent;
    Array<T> cell;
};

template <typename T>
void expect_lstm(const UnitShape& shape, double scale) {
    const PlainLstm<T> plain(shape, scale);
    const std::int64_t size = shape.rows * shape.width;
    Array<T> gates(4 * size, 4);
    Array<T> next_cell(size, 5);
    Array<T> next(size, 6);
    lstm_forward<T>(plain.projected.data(), plain.recurrent.data(), plain.cell.data(), gates.data(), next_cell.data(),
                    next.data(), shape);
    expect_gates(gates, shape, 4, [&](std::int64_t i, std::int64_t gate) { return plain.gate(i, gate); });
    expect_array(next_cell, gate_tolerance<T>, [&](std::int64_t i) { return plain.next_cell(i); });
    expect_array(next, gate_tolerance<T>,
                 [&](std::int64_t i) { return plain.gate(i, 3) * std::tanh(plain.next_cell(i)); });

    const Array<T> grad_next(size, 7);
    const Array<T> grad_next_cell(size, 8);
    Array<T> grad_gates(4 * size, 9);
    Array<T> grad_cell = grad_next_cell;  // in place
    lstm_backward<T>(gates.data(), plain.cell.data(), grad_next.data(), grad_cell.data(), grad_gates.data(),
                     grad_cell.data(), shape);
    const auto of_cell = [&](std::int64_t i) {
        const double squashed = std::tanh(plain.next_cell(i));
        return grad_next_cell[i] + grad_next[i] * plain.gate(i, 3) * (1.0 - squashed * squashed);
    };
    expect_gates(grad_gates, shape, 4, [&](std::int64_t i, std::int64_t gate) {
        const double value = plain.gate(i, gate);
        const double slope = gate == 2 ? 1.0 - value * value : value * (1.0 - value);
        return slope * (gate == 0   ? of_cell(i) * plain.gate(i, 2)
                        : gate == 1 ? of_cell(i) * plain.cell[i]
                        : gate == 2 ? of_cell(i) * plain.gate(i, 0)
                                    : grad_next[i] * std::tanh(plain.next_cell(i)));
    });
    expect_array(grad_cell, gate_tolerance<T>, [&](std::int64_t i) { return of_cell(i) * plain.gate(i, 1); });
}

TEST(LstmKernels, AreThePlainForm) {
    for_each_unit(expect_lstm<float>);
    for_each_unit(expect_lstm<double>);
}

}  // namespace
}  // namespace softalign
