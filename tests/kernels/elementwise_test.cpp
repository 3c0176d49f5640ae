#include "kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "arrays.h"

namespace softalign {
namespace {

template <typename T>
class Elementwise : public testing::Test {};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Elementwise, Types, );

TYPED_TEST(Elementwise, IsThePlainForm) {
    for (const std::int64_t count : kernel_lengths()) {
        const Array<TypeParam> x(count, 1);
        const Array<TypeParam> y(count, 2);
        const Array<TypeParam> before(count, 3);
        Array<TypeParam> product = before;
        multiply_each(x.data(), y.data(), product.data(), count);
        expect_array(product, 1e-7, [&](std::int64_t i) { return x[i] * y[i]; });
        Array<TypeParam> in_place = x;
        multiply_each(in_place.data(), y.data(), in_place.data(), count);
        expect_array(in_place, 1e-7, [&](std::int64_t i) { return x[i] * y[i]; });
        Array<TypeParam> sum = before;
        add_each(x.data(), sum.data(), count);
        expect_array(sum, 1e-7, [&](std::int64_t i) { return before[i] + x[i]; });
        Array<TypeParam> products = before;
        add_products(x.data(), y.data(), products.data(), count);
        expect_array(products, 2e-7, [&](std::int64_t i) { return before[i] + x[i] * y[i]; });
    }
}

}  // namespace
}  // namespace softalign
