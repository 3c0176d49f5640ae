#include "ops/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/differences.h"
#include "ops/packed_rows.h"

namespace softalign {
namespace {

TEST(TanhScores, FastFormIsThePlainForm) {
    at::manual_seed(16);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const double tolerance = type == at::kDouble ? 1e-13 : 2e-5;
        for (const std::int64_t size : {1, 7, 15, 16, 17, 32, 37}) {
            for (const std::int64_t queries : {1, 4}) {
                const std::vector<at::Tensor> inputs = {at::randn({3, queries, size}, type),
                                                        at::randn({3, 5, size}, type), at::randn({1, size}, type)};
                at::Tensor weight = at::randn({3, queries, 5}, type);
                weight.select(2, 4).zero_();  // as at padding
                const Differentiated fast = differentiate(tanh_scores, inputs, weight);
                const Differentiated plain = differentiate(tanh_scores_plain, inputs, weight);
                EXPECT_LE(largest_difference(fast.result, plain.result), tolerance) << size;
                EXPECT_LE(largest_difference(fast.gradients, plain.gradients), tolerance) << size;
            }
        }
    }
}

TEST(TanhScores, GradientsMatchFiniteDifferences) {
    at::manual_seed(17);
    const std::vector<at::Tensor> inputs = {differentiable({2, 2, 17}), differentiable({2, 3, 17}),
                                            differentiable({1, 17})};
    const at::Tensor weight = at::randn({2, 2, 3}, at::kDouble);
    for (const auto function : {tanh_scores, tanh_scores_plain}) {
        const auto scalar = [&] { return (function(inputs[0], inputs[1], inputs[2]) * weight).sum(); };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-8);
    }
}

TEST(TanhScores, TakesViewsThatAreNotContiguous) {
    at::manual_seed(18);
    const at::Tensor queries = at::randn({2, 6, 3}, at::kDouble).transpose(1, 2);
    const at::Tensor keys = at::randn({1, 4, 6}, at::kDouble).expand({2, 4, 6});
    const at::Tensor v = at::randn({1, 12}, at::kDouble).slice(1, 0, 12, 2);
    EXPECT_LE(largest_difference(tanh_scores(queries, keys, v), tanh_scores_plain(queries, keys, v)), 1e-13);
}

// Where gradients are recorded, it is the softmax of tanh_scores.
TEST(TanhAttention, FastFormIsThePlainForm) {
    at::manual_seed(19);
    const std::vector<std::int64_t> lengths = {2, 5, 1};
    const at::Tensor mask = token_mask(lengths, 5, at::kCPU);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const at::Tensor queries = at::randn({3, 2, 17}, type);
        const at::Tensor keys = at::randn({3, 5, 17}, type);
        const at::Tensor values = at::randn({3, 5, 4}, type);
        const at::Tensor v = at::randn({1, 17}, type);
        const AttentionResult plain = tanh_attention(queries, v, {keys, values, mask, lengths, at::Tensor()});
        const at::NoGradGuard no_gradients;
        const AttentionResult fast = tanh_attention(queries, v, {keys, values, mask, lengths, at::Tensor()});
        const double tolerance = type == at::kDouble ? 1e-14 : 2e-6;
        EXPECT_LE(largest_difference(fast.weights, plain.weights), tolerance);
        EXPECT_LE(largest_difference(fast.context, plain.context), tolerance * 10.0);
        const at::Tensor rows = at::tensor({2, 0, 0}, at::kLong);
        const AttentionResult shared = tanh_attention(queries, v, {keys, values, mask, lengths, rows});
        const auto copied = [&](const at::Tensor& x) { return x.index_select(0, rows); };
        const AttentionResult copies = tanh_attention(
            queries, v, {copied(keys), copied(values), copied(mask), select_rows(lengths, rows), at::Tensor()});
        EXPECT_TRUE(shared.weights.equal(copies.weights));
        EXPECT_TRUE(shared.context.equal(copies.context));
    }
}

}  // namespace
}  // namespace softalign
