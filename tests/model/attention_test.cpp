#include "model/attention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>

#include "fixtures.h"
#include "model/attention_mechanisms.h"
#include "model/tanh_scores.h"

namespace softalign {
namespace {

constexpr std::int64_t width = 4;  // of queries and annotations, as dot needs

// Three sentences of 3, 1 and 4 tokens, random annotations everywhere, also at padding.
EncoderOutput random_encoded(std::uint64_t seed) {
    torch::manual_seed(seed);
    EncoderOutput encoded;
    encoded.annotations = differentiable({3, 4, width});
    encoded.mask = at::arange(4).unsqueeze(0).lt(at::tensor({3, 1, 4}, at::kLong).unsqueeze(1));
    encoded.last = differentiable({3, width});
    encoded.mean = differentiable({3, width});
    return encoded;
}

class AttentionTest : public testing::TestWithParam<AttentionType> {
protected:
    void SetUp() override {
        AttentionConfig config;
        config.type = GetParam();
        config.size = 5;
        attention_ = make_attention(config, width, width);
        attention_->to(torch::kDouble);
        randomize(*attention_, 6);
    }

    bool has_weights() const { return GetParam() != AttentionType::none; }

    std::shared_ptr<Attention> attention_;
};

TEST_P(AttentionTest, GradientsMatchFiniteDifferences) {
    for (const std::int64_t steps : {1, 3}) {
        const EncoderOutput encoded = random_encoded(7);
        const at::Tensor query = differentiable({3, steps, width});
        const at::Tensor context_weight = at::randn({3, steps, width}, at::kDouble);
        const at::Tensor weights_weight = at::randn({3, steps, 4}, at::kDouble);
        std::vector<at::Tensor> inputs = {query, encoded.annotations, encoded.last};
        for (const at::Tensor& parameter : attention_->parameters()) {
            inputs.push_back(parameter);
        }
        const auto scalar = [&] {
            const AttentionResult result = attention_->attend(query, attention_->prepare(encoded));
            const at::Tensor sum = (result.context * context_weight).sum();
            return has_weights() ? sum + (result.weights * weights_weight).sum() : sum;
        };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-8) << steps;
    }
}

TEST_P(AttentionTest, ManyQueriesAtOnceAreTheQueriesOneByOne) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(8));
    const at::Tensor query = at::randn({3, 5, width}, at::kDouble);
    const AttentionResult whole = attention_->attend(query, memory);
    for (std::int64_t t = 0; t < 5; ++t) {
        const AttentionResult one = attention_->attend(query.narrow(1, t, 1), memory);
        EXPECT_LE(largest_difference(one.context, whole.context.narrow(1, t, 1)), 1e-14);
        if (has_weights()) {
            EXPECT_LE(largest_difference(one.weights, whole.weights.narrow(1, t, 1)), 1e-14);
        }
    }
}

TEST_P(AttentionTest, PaddingHasWeightZeroAndTheOthersSumToOne) {
    const at::NoGradGuard no_grad;
    const EncoderOutput encoded = random_encoded(9);
    const AttentionResult result =
        attention_->attend(at::randn({3, 2, width}, at::kDouble), attention_->prepare(encoded));
    EXPECT_EQ(result.context.sizes(), (std::vector<std::int64_t>{3, 2, width}));
    ASSERT_EQ(result.weights.defined(), has_weights());
    if (!has_weights()) {
        return;
    }
    EXPECT_EQ(result.weights.sizes(), (std::vector<std::int64_t>{3, 2, 4}));
    const at::Tensor padding = encoded.mask.logical_not().unsqueeze(1).expand_as(result.weights);
    EXPECT_TRUE(result.weights.masked_select(padding).eq(0.0).all().item<bool>());
    EXPECT_TRUE(result.weights.masked_select(padding.logical_not()).gt(0.0).all().item<bool>());
    EXPECT_LE(largest_difference(result.weights.sum(2), at::ones({3, 2}, at::kDouble)), 1e-15);
}

TEST_P(AttentionTest, WhatStandsAtPaddingDoesNotMatter) {
    const at::NoGradGuard no_grad;
    EncoderOutput encoded = random_encoded(10);
    const at::Tensor query = at::randn({3, 2, width}, at::kDouble);
    const AttentionResult before = attention_->attend(query, attention_->prepare(encoded));
    encoded.annotations = encoded.annotations.masked_fill(encoded.mask.logical_not().unsqueeze(2), 123.0);
    const AttentionResult after = attention_->attend(query, attention_->prepare(encoded));
    EXPECT_LE(largest_difference(before.context, after.context), 1e-14);
}

TEST_P(AttentionTest, LargeScoresStayFinite) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(11));
    const AttentionResult result = attention_->attend(at::randn({3, 2, width}, at::kDouble) * 1e6, memory);
    EXPECT_TRUE(result.context.isfinite().all().item<bool>());
}

TEST_P(AttentionTest, SelectedMemoryGivesSelectedResults) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(12));
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    const at::Tensor rows = at::tensor({2, 0, 0, 1, 2}, at::kLong);
    const AttentionResult picked = attention_->attend(query.index_select(0, rows), memory.select(rows));
    const AttentionResult all = attention_->attend(query, memory);
    EXPECT_LE(largest_difference(picked.context, all.context.index_select(0, rows)), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(All, AttentionTest,
                         testing::Values(AttentionType::additive, AttentionType::dot, AttentionType::general,
                                         AttentionType::concat, AttentionType::none),
                         [](const auto& info) { return std::string(attention_name(info.param)); });

// Every score written out for one query, from the equations.
TEST(AttentionScores, AreThoseOfTheEquations) {
    const at::NoGradGuard no_grad;
    const EncoderOutput encoded = random_encoded(13);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    for (const AttentionType type :
         {AttentionType::additive, AttentionType::dot, AttentionType::general, AttentionType::concat}) {
        AttentionConfig config;
        config.type = type;
        config.size = 5;
        const auto attention = make_attention(config, width, width);
        attention->to(torch::kDouble);
        randomize(*attention, 14);
        const auto parameters = attention->named_parameters();
        const auto score = [&](const at::Tensor& q, const at::Tensor& h) -> at::Tensor {
            switch (type) {
                case AttentionType::additive:
                    return parameters["weight_score"].mv(
                        (parameters["weight_query"].mv(q) + parameters["weight_key"].mv(h)).tanh())[0];
                case AttentionType::general:
                    return q.dot(parameters["weight"].mv(h));
                case AttentionType::concat:
                    return parameters["weight_score"].mv(parameters["weight"].mv(at::cat({q, h})).tanh())[0];
                default:
                    return q.dot(h);
            }
        };
        const AttentionResult result = attention->attend(query, attention->prepare(encoded));
        for (std::int64_t row = 0; row < 3; ++row) {
            const std::int64_t length = encoded.mask[row].sum().item<std::int64_t>();
            std::vector<at::Tensor> scores;
            for (std::int64_t j = 0; j < length; ++j) {
                scores.push_back(score(query[row][0], encoded.annotations[row][j]));
            }
            const at::Tensor weights = at::stack(scores).softmax(0);
            EXPECT_LE(largest_difference(result.weights[row][0].narrow(0, 0, length), weights), 1e-13);
            const at::Tensor context = encoded.annotations[row].narrow(0, 0, length).t().mv(weights);
            EXPECT_LE(largest_difference(result.context[row][0], context), 1e-13);
        }
    }
}

TEST(AttentionScores, NoAttentionGivesTheLastStateAtEveryStep) {
    const at::NoGradGuard no_grad;
    const EncoderOutput encoded = random_encoded(15);
    const NoAttention attention;
    const AttentionResult result = attention.attend(at::zeros({3, 2, width}, at::kDouble), attention.prepare(encoded));
    EXPECT_TRUE(result.context.select(1, 0).equal(encoded.last));
    EXPECT_TRUE(result.context.select(1, 1).equal(encoded.last));
}

struct Scored {
    at::Tensor scores;
    std::vector<at::Tensor> gradients;
};

template <typename Scores>
Scored score(Scores function, std::vector<at::Tensor> inputs, const at::Tensor& weight) {
    for (at::Tensor& input : inputs) {
        input = input.detach().clone().requires_grad_(true);
    }
    const at::Tensor scores = function(inputs[0], inputs[1], inputs[2]);
    (scores * weight).sum().backward();
    return {scores, {inputs[0].grad(), inputs[1].grad(), inputs[2].grad()}};
}

TEST(TanhScores, FastFormIsThePlainForm) {
    torch::manual_seed(16);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const double tolerance = type == at::kDouble ? 1e-13 : 2e-5;
        for (const std::int64_t size : {1, 7, 15, 16, 17, 32, 37}) {
            for (const std::int64_t queries : {1, 4}) {
                const std::vector<at::Tensor> inputs = {at::randn({3, queries, size}, type),
                                                        at::randn({3, 5, size}, type), at::randn({1, size}, type)};
                at::Tensor weight = at::randn({3, queries, 5}, type);
                weight.select(2, 4).zero_();  // as at padding
                const Scored fast = score(tanh_scores, inputs, weight);
                const Scored plain = score(tanh_scores_plain, inputs, weight);
                EXPECT_LE(largest_difference(fast.scores, plain.scores), tolerance) << size;
                EXPECT_LE(largest_difference(fast.gradients, plain.gradients), tolerance) << size;
            }
        }
    }
}

TEST(TanhScores, GradientsMatchFiniteDifferences) {
    torch::manual_seed(17);
    const std::vector<at::Tensor> inputs = {differentiable({2, 2, 17}), differentiable({2, 3, 17}),
                                            differentiable({1, 17})};
    const at::Tensor weight = at::randn({2, 2, 3}, at::kDouble);
    for (const auto function : {tanh_scores, tanh_scores_plain}) {
        const auto scalar = [&] { return (function(inputs[0], inputs[1], inputs[2]) * weight).sum(); };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-8);
    }
}

TEST(TanhScores, TakesViewsThatAreNotContiguous) {
    torch::manual_seed(18);
    const at::Tensor queries = at::randn({2, 6, 3}, at::kDouble).transpose(1, 2);
    const at::Tensor keys = at::randn({1, 4, 6}, at::kDouble).expand({2, 4, 6});
    const at::Tensor v = at::randn({1, 12}, at::kDouble).slice(1, 0, 12, 2);
    EXPECT_LE(largest_difference(tanh_scores(queries, keys, v), tanh_scores_plain(queries, keys, v)), 1e-13);
}

}  // namespace
}  // namespace softalign
