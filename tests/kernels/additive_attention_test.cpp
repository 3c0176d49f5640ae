#include "kernels/additive_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.h"

namespace softalign {
namespace {

template <typename T>
class AdditiveAttentionKernels : public testing::Test {
protected:
    static constexpr double tolerance = sizeof(T) == sizeof(float) ? 2e-6 : 1e-13;
    static constexpr std::int64_t positions = 5;

    // v[a] tanh(query[a] + keys[s,a])
    static double activation(const Array<T>& query, const Array<T>& keys, std::int64_t s, std::int64_t a) {
        return std::tanh(query[a] + keys[s * query.size() + a]);
    }

    static double score(const Array<T>& query, const Array<T>& keys, const Array<T>& v, std::int64_t s) {
        double sum = 0.0;
        for (std::int64_t a = 0; a < query.size(); ++a) {
            sum += v[a] * activation(query, keys, s, a);
        }
        return sum;
    }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(AdditiveAttentionKernels, Types, );

TYPED_TEST(AdditiveAttentionKernels, ScoresAndTheirGradientsAreThePlainForm) {
    constexpr std::int64_t positions = TestFixture::positions;
    for (const std::int64_t width : kernel_lengths()) {
        const Array<TypeParam> query(width, 1);
        const Array<TypeParam> keys(positions * width, 2, 3.0);
        const Array<TypeParam> v(width, 3);
        Array<TypeParam> scores(positions, 4);
        additive_scores(query.data(), keys.data(), v.data(), scores.data(), positions, width);
        expect_array(scores, TestFixture::tolerance * std::sqrt(static_cast<double>(width)),
                     [&](std::int64_t s) { return TestFixture::score(query, keys, v, s); });

        Array<TypeParam> grad_scores(positions, 5);
        grad_scores[3] = 0;  // as padding has
        const Array<TypeParam> before(positions * width, 6);
        const Array<TypeParam> row_before(width, 7);
        Array<TypeParam> grad_query = row_before;
        Array<TypeParam> grad_keys = before;
        Array<TypeParam> grad_v = row_before;
        additive_scores_backward(query.data(), keys.data(), v.data(), grad_scores.data(), grad_query.data(),
                                 grad_keys.data(), grad_v.data(), positions, width);
        const auto inner = [&](std::int64_t s, std::int64_t a) {
            const double th = TestFixture::activation(query, keys, s, a);
            return static_cast<double>(grad_scores[s]) * v[a] * (1.0 - th * th);
        };
        expect_array(grad_keys, TestFixture::tolerance,
                     [&](std::int64_t i) { return before[i] + inner(i / width, i % width); });
        expect_array(grad_query, TestFixture::tolerance, [&](std::int64_t a) {
            double sum = row_before[a];
            for (std::int64_t s = 0; s < positions; ++s) {
                sum += inner(s, a);
            }
            return sum;
        });
        expect_array(grad_v, TestFixture::tolerance, [&](std::int64_t a) {
            double sum = row_before[a];
            for (std::int64_t s = 0; s < positions; ++s) {
                sum += static_cast<double>(grad_scores[s]) * TestFixture::activation(query, keys, s, a);
            }
            return sum;
        });
    }
}

TYPED_TEST(AdditiveAttentionKernels, SumsAndProductsAreThePlainForm) {
    constexpr std::int64_t positions = TestFixture::positions;
    for (const std::int64_t width : kernel_lengths()) {
        const Array<TypeParam> weights(positions, 1);
        const Array<TypeParam> values(positions * width, 2);
        const Array<TypeParam> x(width, 3);
        Array<TypeParam> sum(width, 4);
        weighted_sum(weights.data(), values.data(), sum.data(), positions, width);
        expect_array(sum, TestFixture::tolerance, [&](std::int64_t i) {
            double total = 0.0;
            for (std::int64_t s = 0; s < positions; ++s) {
                total += weights[s] * values[s * width + i];
            }
            return total;
        });
        Array<TypeParam> products(positions, 5);
        inner_products(values.data(), x.data(), products.data(), positions, width);
        expect_array(products, TestFixture::tolerance * std::sqrt(static_cast<double>(width)), [&](std::int64_t s) {
            double total = 0.0;
            for (std::int64_t i = 0; i < width; ++i) {
                total += values[s * width + i] * x[i];
            }
            return total;
        });
        Array<TypeParam> outer = values;
        add_outer(weights.data(), x.data(), outer.data(), positions, width);
        expect_array(outer, TestFixture::tolerance,
                     [&](std::int64_t i) { return values[i] + weights[i / width] * x[i % width]; });
    }
}

TYPED_TEST(AdditiveAttentionKernels, AttentionIsTheWeightedSumUnderTheSoftmax) {
    constexpr std::int64_t width = 19;
    constexpr std::int64_t value_width = 23;
    for (const std::int64_t positions : kernel_lengths()) {
        const Array<TypeParam> query(width, 1);
        const Array<TypeParam> keys(positions * width, 2, 3.0);
        const Array<TypeParam> values(positions * value_width, 3);
        const Array<TypeParam> v(width, 4);
        Array<TypeParam> weights(positions, 5);
        Array<TypeParam> context(value_width, 6);
        const AdditiveSource<TypeParam> source{keys.data(), values.data(), positions, width, value_width};
        additive_attention(query.data(), source, v.data(), weights.data(), context.data());
        std::vector<double> expected;
        double total = 0.0;
        for (std::int64_t s = 0; s < positions; ++s) {
            expected.push_back(std::exp(TestFixture::score(query, keys, v, s)));
            total += expected.back();
        }
        const auto weight = [&](std::int64_t s) { return expected[static_cast<std::size_t>(s)] / total; };
        expect_array(weights, 5.0 * TestFixture::tolerance, weight);
        expect_array(context, 5.0 * TestFixture::tolerance, [&](std::int64_t i) {
            double sum = 0.0;
            for (std::int64_t s = 0; s < positions; ++s) {
                sum += weight(s) * values[s * value_width + i];
            }
            return sum;
        });
    }
}

}  // namespace
}  // namespace softalign
