// Products of weights, packed and not, and their gradients.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/affine.h"
#include "ops/differences.h"
#include "ops/packed_weights.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

// What is asked of the gradients: the same whether they are kept in place or handed back.
TEST(Affine, AddsToAGradientThatIsThere) {
    at::manual_seed(9);
    const at::Tensor x = differentiable({4, 3});
    const at::Tensor weight = differentiable({2, 3});
    const at::Tensor bias = differentiable({2});
    const at::Tensor factor = at::randn({4, 2}, at::kDouble);
    const auto run = [&] { (affine(x, weight, bias, plain_execution) * factor).sum().backward(); };
    run();
    EXPECT_LE(largest_difference(weight.grad(), factor.t().mm(x)), 1e-14);
    EXPECT_LE(largest_difference(bias.grad(), factor.sum(0)), 1e-14);
    EXPECT_LE(largest_difference(x.grad(), factor.mm(weight)), 1e-14);
    const void* place = weight.grad().data_ptr();
    run();
    EXPECT_EQ(weight.grad().data_ptr(), place);
    EXPECT_LE(largest_difference(weight.grad(), 2.0 * factor.t().mm(x)), 1e-14);
    EXPECT_LE(largest_difference(bias.grad(), 2.0 * factor.sum(0)), 1e-14);
}

TEST(Affine, ManyRowsInFloatAreLibTorchs) {
    at::manual_seed(10);
    const at::Tensor weight = at::randn({70, 33}).requires_grad_(true);
    const at::Tensor bias = at::randn({70}).requires_grad_(true);
    for (const std::int64_t rows : {1, 95, 96, 200}) {
        const at::Tensor x = at::randn({rows, 33}).requires_grad_(true);
        const at::Tensor y = affine(x, weight, bias, plain_execution);
        EXPECT_LE(largest_difference(y, at::linear(x, weight, bias)), 3e-5) << rows;
        const at::Tensor factor = at::randn({rows, 70});
        (y * factor).sum().backward();
        EXPECT_LE(largest_difference(x.grad(), factor.mm(weight)), 1e-4) << rows;
    }
}

TEST(LookUp, AddsTheRowsGradients) {
    const at::Tensor table = differentiable({5, 2});
    const at::Tensor ids = at::tensor({3, 1, 3}, at::kLong);
    const at::Tensor expected = at::zeros({5, 2}, at::kDouble);
    expected[3].fill_(2.0);
    expected[1].fill_(1.0);
    for (const double times : {1.0, 2.0}) {
        look_up(table, ids, plain_execution).sum().backward();
        EXPECT_TRUE(table.grad().equal(expected * times));
    }
}

TEST(PackedWeights, FollowTheWeightWhenPackedAgain) {
    at::manual_seed(11);
    at::Tensor weight = at::randn({5, 3});
    const at::Tensor x = at::randn({2, 3});
    PackedWeights packed;
    const Execution execution(&packed, nullptr);
    const at::Tensor before = affine(x, weight, execution);
    EXPECT_LE(largest_difference(before, at::linear(x, weight)), 1e-5);
    weight.add_(1.0);
    EXPECT_TRUE(affine(x, weight, execution).equal(before));
    ASSERT_EQ(packed.count(), 1);
    packed.repack(0);
    EXPECT_LE(largest_difference(affine(x, weight, execution), at::linear(x, weight)), 1e-5);
}

// The rounding of factors to 8 bits shows, and only that.
TEST(PackedWeights, InBfloat16ProductsAndGradientsAreRounded) {
    at::manual_seed(13);
    const at::Tensor weight = at::randn({70, 33}).requires_grad_(true);
    const at::Tensor bias = at::randn({70}).requires_grad_(true);
    const auto rounded = [](const at::Tensor& x) { return x.detach().to(at::kBFloat16).to(at::kFloat); };
    PackedWeights packed(Precision::bfloat16);
    for (const std::int64_t rows : {3, 200}) {
        const at::Tensor x = at::randn({rows, 33}).requires_grad_(true);
        const at::Tensor factor = at::randn({rows, 70});
        weight.mutable_grad() = at::zeros_like(weight);
        const Execution execution(&packed, nullptr);
        const at::Tensor y = affine(x, weight, bias, execution);
        (y * factor).sum().backward();
        const bool packs = rows > 96;  // fewer are left to LibTorch where the weight changes
        const at::Tensor expected = packs ? at::linear(rounded(x), rounded(weight), bias) : at::linear(x, weight, bias);
        EXPECT_LE(largest_difference(y, expected), 3e-5) << rows;
        EXPECT_LE(largest_difference(weight.grad(), rounded(factor).t().mm(rounded(x))), 1e-4) << rows;
        const at::NoGradGuard no_grad;
        EXPECT_LE(largest_difference(affine(x, weight, bias, execution), at::linear(rounded(x), rounded(weight), bias)),
                  3e-5);
    }
}

}  // namespace
}  // namespace softalign
