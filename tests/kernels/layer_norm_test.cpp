#include "kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>

#include "arrays.h"

namespace softalign {
namespace {

double mean_of(std::int64_t width, const std::function<double(std::int64_t)>& f) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < width; ++i) {
        sum += f(i);
    }
    return sum / static_cast<double>(width);
}

// The inputs of one call, and what comes of them, one number at a time in double.
template <typename T>
struct PlainNorm {
    explicit PlainNorm(const UnitShape& given)
        : shape(given),
          x(given.rows * given.width, 1, 3.0),
          gain(given.width, 2),
          shift(given.width, 3),
          grad(given.rows * given.width, 4) {}

    std::int64_t row(std::int64_t i) const { return i / shape.width * shape.width; }
    double mean(std::int64_t row) const {
        return mean_of(shape.width, [&](std::int64_t i) { return x[row + i]; });
    }
    double scale(std::int64_t row) const {
        const double center = mean(row);
        return 1.0 /
               std::sqrt(mean_of(shape.width, [&](std::int64_t i) { return std::pow(x[row + i] - center, 2); }) + 1e-5);
    }
    double normalized(std::int64_t i) const { return (x[i] - mean(row(i))) * scale(row(i)); }
    double grad_x(std::int64_t i) const {
        const auto inner = [&](std::int64_t j) { return grad[row(i) + j] * gain[j]; };
        const double along = mean_of(shape.width, [&](std::int64_t j) { return inner(j) * normalized(row(i) + j); });
        return scale(row(i)) * (inner(i - row(i)) - mean_of(shape.width, inner) - normalized(i) * along);
    }
    // Over the rows, of what there was before.
    double sum(double before, std::int64_t column, const std::function<double(std::int64_t)>& f) const {
        for (std::int64_t row = 0; row < shape.rows; ++row) {
            before += f(row * shape.width + column);
        }
        return before;
    }

    UnitShape shape;
    Array<T> x;
    Array<T> gain;
    Array<T> shift;
    Array<T> grad;
};

template <typename T>
void expect_norm(const UnitShape& shape, double tolerance) {
    const PlainNorm<T> plain(shape);
    Array<T> y = plain.x;  // in place
    Array<T> normalized(plain.x.size(), 5);
    Array<T> scale(shape.rows, 6);
    layer_norm_forward<T>(y.data(), plain.gain.data(), plain.shift.data(), normalized.data(), scale.data(), y.data(),
                          shape);
    expect_array(normalized, tolerance, [&](std::int64_t i) { return plain.normalized(i); });
    expect_array(scale, tolerance, [&](std::int64_t row) { return plain.scale(row * shape.width); });
    expect_array(y, tolerance, [&](std::int64_t i) {
        const std::int64_t column = i % shape.width;
        return plain.gain[column] * plain.normalized(i) + plain.shift[column];
    });

    const Array<T> before(shape.width, 7);
    Array<T> grad_gain = before;
    Array<T> grad_shift = before;
    Array<T> grad = plain.grad;  // in place
    layer_norm_backward<T>(normalized.data(), scale.data(), plain.gain.data(), grad.data(), grad_gain.data(),
                           grad_shift.data(), grad.data(), shape);
    expect_array(grad, tolerance, [&](std::int64_t i) { return plain.grad_x(i); });
    expect_array(grad_gain, tolerance, [&](std::int64_t column) {
        return plain.sum(before[column], column, [&](std::int64_t i) { return plain.grad[i] * plain.normalized(i); });
    });
    expect_array(grad_shift, tolerance, [&](std::int64_t column) {
        return plain.sum(before[column], column, [&](std::int64_t i) { return plain.grad[i]; });
    });
}

TEST(LayerNormKernels, AreThePlainForm) {
    for (const std::int64_t width : kernel_lengths()) {
        for (const std::int64_t rows : {1, 3}) {
            if (width > 2) {  // of two numbers, most of which are +1 and -1, the gradient is what rounding leaves
                expect_norm<float>({rows, width}, 5e-5);
            }
            expect_norm<double>({rows, width}, 1e-11);
        }
    }
}

}  // namespace
}  // namespace softalign
