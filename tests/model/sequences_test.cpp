// The whole-sequence functions against the same computed step by step.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "fixtures.h"
#include "model/affine.h"
#include "model/gru_sequence.h"
#include "model/output_loss.h"
#include "model/packed_rows.h"
#include "model/packed_weights.h"

namespace softalign {
namespace {

at::Tensor mask_of(const std::vector<std::int64_t>& lengths, std::int64_t width) {
    return at::arange(width).unsqueeze(0).lt(at::tensor(lengths, at::kLong).unsqueeze(1));
}

TEST(PackedRows, GoStepByStepTheLongestSentenceFirst) {
    const PackedRows rows = pack_rows(mask_of({2, 3, 1, 3}, 4));
    EXPECT_EQ(rows.order, (std::vector<std::int64_t>{1, 3, 0, 2}));
    EXPECT_EQ(rows.lengths, (std::vector<std::int64_t>{3, 3, 2, 1}));
    EXPECT_EQ(rows.counts, (std::vector<std::int64_t>{4, 3, 2}));
    EXPECT_EQ(rows.offsets, (std::vector<std::int64_t>{0, 4, 7}));
    EXPECT_EQ(rows.total, 9);
    EXPECT_TRUE(rows.places.equal(at::tensor({4, 12, 0, 8, 5, 13, 1, 6, 14}, at::kLong)));
    EXPECT_TRUE(rows.rows_of_sentences().equal(at::tensor({2, 0, 3, 1}, at::kLong)));
}

TEST(PackedRows, BackwardsTheEndStaysLast) {
    const PackedRows rows = pack_rows(mask_of({3, 1}, 3), Reading::backwards);
    EXPECT_TRUE(rows.places.equal(at::tensor({1, 3, 0, 2}, at::kLong)));
}

TEST(PackedRows, UnpackingIsPackingBackWithZerosAtPadding) {
    at::manual_seed(5);
    const at::Tensor mask = mask_of({2, 4, 1}, 5);
    const PackedRows rows = pack_rows(mask);
    const at::Tensor x = at::randn({3, 5, 2}, at::kDouble);
    EXPECT_TRUE(unpack(pack(x, rows), rows).equal(x * mask.unsqueeze(2)));
}

TEST(PackedRows, GradientsMatchFiniteDifferences) {
    at::manual_seed(6);
    const PackedRows rows = pack_rows(mask_of({2, 3}, 4));
    const at::Tensor packed = differentiable({5, 2});
    const at::Tensor padded = differentiable({2, 4, 2});
    const at::Tensor weight = at::randn({2, 4, 2}, at::kDouble);
    EXPECT_LE(gradient_error([&] { return (unpack(packed, rows) * weight).pow(2).sum(); }, {packed}), 1e-8);
    EXPECT_LE(gradient_error([&] { return pack(padded * weight, rows).pow(2).sum(); }, {padded}), 1e-8);
}

struct Gru {
    at::Tensor projected;
    at::Tensor weight;
    at::Tensor bias;
    at::Tensor mask;
};

Gru random_gru(const PackedRows& rows, std::int64_t width, bool masked, at::ScalarType type) {
    at::manual_seed(7);
    const auto draw = [&](at::IntArrayRef sizes) { return at::randn(sizes, type).requires_grad_(true); };
    return {draw({rows.total, 3 * width}), draw({3 * width, width}), draw({3 * width}),
            masked ? at::randn({rows.sentences(), width}, type) : at::Tensor()};
}

template <typename Function>
std::vector<at::Tensor> values_and_gradients(Function function, const Gru& gru, const PackedRows& rows,
                                             Reading direction) {
    for (at::Tensor input : {gru.projected, gru.weight, gru.bias}) {
        input.mutable_grad() = at::Tensor();
    }
    const SequenceStates result = function(gru.projected, gru.weight, gru.bias, gru.mask, rows, direction);
    at::manual_seed(8);
    ((result.states * at::randn_like(result.states)).sum() + (result.last * at::randn_like(result.last)).sum())
        .backward();
    return {result.states, result.last, gru.projected.grad(), gru.weight.grad(), gru.bias.grad()};
}

TEST(GruSequence, IsTheStepsOneByOne) {
    const PackedRows rows = pack_rows(mask_of({3, 5, 1, 5, 2}, 6));
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        for (const Reading direction : {Reading::forwards, Reading::backwards}) {
            for (const bool masked : {false, true}) {
                for (const std::int64_t width : {1, 7, 20}) {
                    const Gru gru = random_gru(rows, width, masked, type);
                    const auto fast = values_and_gradients(gru_sequence, gru, rows, direction);
                    const auto plain = values_and_gradients(gru_sequence_plain, gru, rows, direction);
                    const double tolerance = type == at::kDouble ? 1e-12 : 2e-4;
                    EXPECT_LE(largest_difference(fast, plain), tolerance) << width << " " << masked;
                }
            }
        }
    }
}

TEST(GruSequence, GradientsMatchFiniteDifferences) {
    const PackedRows rows = pack_rows(mask_of({2, 3}, 3));
    const Gru gru = random_gru(rows, 2, true, at::kDouble);
    const auto sum = [&] {
        const SequenceStates result =
            gru_sequence(gru.projected, gru.weight, gru.bias, gru.mask, rows, Reading::backwards);
        return result.states.pow(2).sum() + result.last.pow(3).sum();
    };
    EXPECT_LE(gradient_error(sum, {gru.projected, gru.weight, gru.bias}), 1e-7);
}

// What is asked of the gradients: the same whether they are kept in place or handed back.
TEST(Affine, AddsToAGradientThatIsThere) {
    at::manual_seed(9);
    const at::Tensor x = differentiable({4, 3});
    const at::Tensor weight = differentiable({2, 3});
    const at::Tensor bias = differentiable({2});
    const at::Tensor factor = at::randn({4, 2}, at::kDouble);
    const auto run = [&] { (affine(x, weight, bias) * factor).sum().backward(); };
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
        const at::Tensor y = affine(x, weight, bias);
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
        look_up(table, ids).sum().backward();
        EXPECT_TRUE(table.grad().equal(expected * times));
    }
}

TEST(PackedWeights, FollowTheWeightWhenPackedAgain) {
    at::manual_seed(11);
    at::Tensor weight = at::randn({5, 3});
    const at::Tensor x = at::randn({2, 3});
    PackedWeights packed;
    const UsePackedWeights use(&packed);
    const at::Tensor before = affine(x, weight);
    EXPECT_LE(largest_difference(before, at::linear(x, weight)), 1e-5);
    weight.add_(1.0);
    EXPECT_TRUE(affine(x, weight).equal(before));
    ASSERT_EQ(packed.count(), 1);
    packed.repack(0);
    EXPECT_LE(largest_difference(affine(x, weight), at::linear(x, weight)), 1e-5);
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
        const UsePackedWeights use(&packed);
        const at::Tensor y = affine(x, weight, bias);
        (y * factor).sum().backward();
        const bool packs = rows > 96;  // fewer are left to LibTorch where the weight changes
        const at::Tensor expected = packs ? at::linear(rounded(x), rounded(weight), bias) : at::linear(x, weight, bias);
        EXPECT_LE(largest_difference(y, expected), 3e-5) << rows;
        EXPECT_LE(largest_difference(weight.grad(), rounded(factor).t().mm(rounded(x))), 1e-4) << rows;
        const at::NoGradGuard no_grad;
        EXPECT_LE(largest_difference(affine(x, weight, bias), at::linear(rounded(x), rounded(weight), bias)), 3e-5);
    }
}

// So many words that they are taken in groups.
TEST(OutputLoss, IsTheProjectionAndTheCrossEntropy) {
    at::manual_seed(12);
    const std::int64_t vocabulary = 40000;
    const at::Tensor readouts = (at::randn({250, 4}) * 0.3).requires_grad_(true);
    const at::Tensor weight = at::randn({vocabulary, 4}).requires_grad_(true);
    const at::Tensor bias = at::randn({vocabulary}).requires_grad_(true);
    const at::Tensor targets = at::randint(vocabulary, {250}, at::kLong);
    const auto gradients = [&](const CrossEntropy& sums) {
        (sums.objective * 2.0).backward();
        std::vector<at::Tensor> result;
        for (at::Tensor input : {readouts, weight, bias}) {
            result.push_back(input.grad());
            input.mutable_grad() = at::Tensor();
        }
        return result;
    };
    const CrossEntropy plain = cross_entropy_plain(at::linear(readouts, weight, bias), targets, 0.1);
    const CrossEntropy fast = output_loss(readouts, weight, bias, targets, 0.1);
    EXPECT_NEAR(fast.objective.item<double>() / plain.objective.item<double>(), 1.0, 1e-6);
    EXPECT_NEAR(fast.negative_log_prob.item<double>() / plain.negative_log_prob.item<double>(), 1.0, 1e-6);
    EXPECT_LE(largest_difference(gradients(fast), gradients(plain)), 2e-5);
}

TEST(OutputLoss, GradientsMatchFiniteDifferences) {
    at::manual_seed(13);
    const at::Tensor readouts = differentiable({3, 2});
    const at::Tensor weight = differentiable({5, 2});
    const at::Tensor bias = differentiable({5});
    const at::Tensor targets = at::tensor({4, 0, 2}, at::kLong);
    EXPECT_LE(gradient_error([&] { return output_loss(readouts, weight, bias, targets, 0.1).objective; },
                             {readouts, weight, bias}),
              1e-8);
}

}  // namespace
}  // namespace softalign
