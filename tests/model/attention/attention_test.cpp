#include "model/attention/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/attention/mechanisms.h"
#include "model/fixtures.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

constexpr std::int64_t width = 4;  // of queries and annotations, as dot needs

// Three sentences of 3, 1 and 4 tokens, random annotations everywhere, also at padding.
Encoded random_encoded(std::uint64_t seed) {
    at::manual_seed(seed);
    Encoded encoded;
    encoded.annotations = differentiable({3, 4, width});
    encoded.lengths = {3, 1, 4};
    encoded.mask = token_mask(encoded.lengths, 4, at::kCPU);
    encoded.summary.last = differentiable({3, width});
    encoded.summary.mean = differentiable({3, width});
    return encoded;
}

// One call from target step `position` on.
AttentionResult attend(const Attention& attention, const at::Tensor& query, const AttentionMemory& memory,
                       std::int64_t position = 0, Weights weights = Weights::wanted) {
    AttentionState state;
    state.position = position;
    return attention.attend(query, memory, state, weights, plain_execution);
}

const NamedAttention& named(std::size_t number) {
    static const std::vector<NamedAttention> all = all_attentions();
    return all.at(number);
}

class AttentionTest : public testing::TestWithParam<std::size_t> {
protected:
    void SetUp() override {
        config_ = named(GetParam()).config;
        attention_ = make_attention(config_, width, width);
        attention_->to(at::kDouble);
        randomize(*attention_, 6);
    }

    bool has_weights() const { return config_.type != AttentionType::none; }
    bool has_window() const { return config_.type == AttentionType::local_m || config_.type == AttentionType::local_p; }
    bool sees_all() const { return has_weights() && !has_window() && config_.type != AttentionType::location; }

    AttentionConfig config_;
    std::shared_ptr<Attention> attention_;
};

TEST_P(AttentionTest, GradientsMatchFiniteDifferences) {
    for (const std::int64_t steps : {1, 3}) {
        if (attention_->sequential() && steps > 1) {
            continue;
        }
        const Encoded encoded = random_encoded(7);
        const at::Tensor query = differentiable({3, steps, width});
        const at::Tensor next = differentiable({3, steps, width});
        const at::Tensor context_weight = at::randn({3, steps, width}, at::kDouble);
        const at::Tensor weights_weight = at::randn({3, steps, 4}, at::kDouble);
        std::vector<at::Tensor> inputs = {query, next, encoded.annotations, encoded.summary.last};
        for (const at::Tensor& parameter : attention_->parameters()) {
            inputs.push_back(parameter);
        }
        // Two calls one after the other, for what is carried between them.
        const auto scalar = [&] {
            const AttentionMemory memory = attention_->prepare(encoded, plain_execution);
            AttentionState state;
            const AttentionResult first = attention_->attend(query, memory, state, Weights::wanted, plain_execution);
            const AttentionResult second = attention_->attend(next, memory, state, Weights::wanted, plain_execution);
            const at::Tensor sum = ((first.context + 2.0 * second.context) * context_weight).sum();
            return has_weights() ? sum + ((first.weights - second.weights) * weights_weight).sum() : sum;
        };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-8) << steps;
    }
}

TEST_P(AttentionTest, ManyQueriesAtOnceAreTheQueriesOneByOne) {
    if (attention_->sequential()) {
        return;  // takes one query a call
    }
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(8), plain_execution);
    const at::Tensor query = at::randn({3, 5, width}, at::kDouble);
    const AttentionResult whole = attend(*attention_, query, memory);
    for (std::int64_t t = 0; t < 5; ++t) {
        const AttentionResult one = attend(*attention_, query.narrow(1, t, 1), memory, t);
        EXPECT_LE(largest_difference(one.context, whole.context.narrow(1, t, 1)), 1e-14);
        if (has_weights()) {
            EXPECT_LE(largest_difference(one.weights, whole.weights.narrow(1, t, 1)), 1e-14);
        }
    }
}

TEST_P(AttentionTest, TheStateCountsTheSteps) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(8), plain_execution);
    AttentionState state;
    attention_->attend(at::randn({3, 1, width}, at::kDouble), memory, state, Weights::wanted, plain_execution);
    attention_->attend(at::randn({3, 1, width}, at::kDouble), memory, state, Weights::unwanted, plain_execution);
    EXPECT_EQ(state.position, 2);
}

TEST_P(AttentionTest, PaddingHasWeightZeroAndTheOthersSumToOne) {
    const at::NoGradGuard no_grad;
    const Encoded encoded = random_encoded(9);
    const AttentionResult result =
        attend(*attention_, at::randn({3, 1, width}, at::kDouble), attention_->prepare(encoded, plain_execution), 2);
    EXPECT_EQ(result.context.sizes(), (std::vector<std::int64_t>{3, 1, attention_->context_size()}));
    ASSERT_EQ(result.weights.defined(), has_weights());
    if (!has_weights()) {
        return;
    }
    EXPECT_EQ(result.weights.sizes(), (std::vector<std::int64_t>{3, 1, 4}));
    const at::Tensor padding = encoded.mask.logical_not().unsqueeze(1).expand_as(result.weights);
    EXPECT_TRUE(result.weights.masked_select(padding).eq(0.0).all().item<bool>());
    if (sees_all()) {
        EXPECT_TRUE(result.weights.masked_select(padding.logical_not()).gt(0.0).all().item<bool>());
    }
    const at::Tensor sums = result.weights.sum(2);
    if (config_.type == AttentionType::local_p) {
        EXPECT_TRUE(sums.gt(0.0).logical_and(sums.lt(1.0)).all().item<bool>());
    } else {
        EXPECT_LE(largest_difference(sums, at::ones({3, 1}, at::kDouble)), 1e-15);
    }
}

TEST_P(AttentionTest, WhatStandsAtPaddingDoesNotMatter) {
    const at::NoGradGuard no_grad;
    Encoded encoded = random_encoded(10);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    for (const Weights weights : {Weights::wanted, Weights::unwanted}) {
        const AttentionResult before =
            attend(*attention_, query, attention_->prepare(encoded, plain_execution), 0, weights);
        Encoded other = encoded;
        other.annotations = encoded.annotations.masked_fill(encoded.mask.logical_not().unsqueeze(2), 123.0);
        const AttentionResult after =
            attend(*attention_, query, attention_->prepare(other, plain_execution), 0, weights);
        EXPECT_LE(largest_difference(before.context, after.context), 1e-14);
    }
}

// Columns of padding more are columns of zeros more.
TEST_P(AttentionTest, MorePaddingChangesNothing) {
    const at::NoGradGuard no_grad;
    const Encoded encoded = random_encoded(16);
    Encoded wider = encoded;
    wider.annotations = at::constant_pad_nd(encoded.annotations, {0, 0, 0, 3}, 7.0);
    wider.mask = at::constant_pad_nd(encoded.mask, {0, 3}, 0);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    const AttentionResult tight = attend(*attention_, query, attention_->prepare(encoded, plain_execution), 1);
    const AttentionResult wide = attend(*attention_, query, attention_->prepare(wider, plain_execution), 1);
    EXPECT_LE(largest_difference(tight.context, wide.context), 1e-14);
    if (has_weights()) {
        EXPECT_LE(largest_difference(at::constant_pad_nd(tight.weights, {0, 3}, 0), wide.weights), 1e-14);
    }
}

// A mechanism that knows no places gives the same context whatever the order of the words.
TEST_P(AttentionTest, TheOrderOfTheSourceMovesTheWeightsOnly) {
    if (!sees_all()) {
        return;
    }
    const at::NoGradGuard no_grad;
    Encoded encoded = random_encoded(17);
    encoded.lengths = {4, 4, 4};  // padding has to stay at the end
    encoded.mask = at::ones_like(encoded.mask);
    const at::Tensor order = at::tensor({2, 0, 3, 1}, at::kLong);
    Encoded shuffled = encoded;
    shuffled.annotations = encoded.annotations.index_select(1, order);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    const AttentionResult a = attend(*attention_, query, attention_->prepare(encoded, plain_execution));
    const AttentionResult b = attend(*attention_, query, attention_->prepare(shuffled, plain_execution));
    EXPECT_LE(largest_difference(a.context, b.context), 1e-14);
    EXPECT_LE(largest_difference(a.weights.index_select(2, order), b.weights), 1e-14);
}

TEST_P(AttentionTest, TheContextIsTheSameWithoutWeights) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(18), plain_execution);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    EXPECT_LE(largest_difference(attend(*attention_, query, memory, 0, Weights::wanted).context,
                                 attend(*attention_, query, memory, 0, Weights::unwanted).context),
              1e-14);
}

TEST_P(AttentionTest, LargeScoresStayFinite) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(11), plain_execution);
    const AttentionResult result = attend(*attention_, at::randn({3, 1, width}, at::kDouble) * 1e6, memory);
    EXPECT_TRUE(result.context.isfinite().all().item<bool>());
}

TEST_P(AttentionTest, SelectedMemoryAndStateGiveSelectedResults) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(12), plain_execution);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    const at::Tensor rows = at::tensor({2, 0, 0, 1, 2}, at::kLong);
    AttentionState state;
    attention_->attend(at::randn({3, 1, width}, at::kDouble), memory, state, Weights::wanted, plain_execution);
    AttentionState some = state.select(rows);
    const AttentionResult picked =
        attention_->attend(query.index_select(0, rows), memory.select(rows), some, Weights::wanted, plain_execution);
    const AttentionResult all = attention_->attend(query, memory, state, Weights::wanted, plain_execution);
    EXPECT_LE(largest_difference(picked.context, all.context.index_select(0, rows)), 1e-14);
}

TEST_P(AttentionTest, SharedMemoryIsSelectedMemory) {
    const at::NoGradGuard no_grad;
    const AttentionMemory memory = attention_->prepare(random_encoded(19), plain_execution);
    if (!attention_->shares(memory)) {
        return;
    }
    const at::Tensor query = at::randn({5, 1, width}, at::kDouble);
    const at::Tensor rows = at::tensor({2, 2, 0, 1, 2}, at::kLong);
    const AttentionResult shared = attend(*attention_, query, memory.shared(rows));
    const AttentionResult selected = attend(*attention_, query, memory.select(rows));
    EXPECT_TRUE(shared.context.equal(selected.context));
    EXPECT_TRUE(shared.weights.equal(selected.weights));
}

INSTANTIATE_TEST_SUITE_P(All, AttentionTest, testing::Range(std::size_t{0}, all_attentions().size()),
                         [](const auto& info) { return named(info.param).name; });

// Every score written out for one query, from the equations.
TEST(AttentionScores, AreThoseOfTheEquations) {
    const at::NoGradGuard no_grad;
    const Encoded encoded = random_encoded(13);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    for (const AttentionType type :
         {AttentionType::additive, AttentionType::dot, AttentionType::general, AttentionType::concat}) {
        AttentionConfig config;
        config.type = type;
        config.size = 5;
        const auto attention = make_attention(config, width, width);
        attention->to(at::kDouble);
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
        const AttentionResult result = attend(*attention, query, attention->prepare(encoded, plain_execution));
        for (std::int64_t row = 0; row < 3; ++row) {
            const std::int64_t length = encoded.lengths[static_cast<std::size_t>(row)];
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
    const Encoded encoded = random_encoded(15);
    const NoAttention attention(width);
    const AttentionResult result =
        attend(attention, at::zeros({3, 2, width}, at::kDouble), attention.prepare(encoded, plain_execution));
    EXPECT_TRUE(result.context.select(1, 0).equal(encoded.summary.last));
    EXPECT_TRUE(result.context.select(1, 1).equal(encoded.summary.last));
}

HeadsShape heads(std::int64_t count, std::int64_t groups) {
    HeadsShape shape;
    shape.query_size = shape.annotation_size = width;
    shape.size = 8;
    shape.heads = count;
    shape.groups = groups;
    return shape;
}

// Grouped-query attention is multi-head attention whose key and value heads are copies within a group: with g = 1
// multi-query, with g = h multi-head itself.
TEST(AttentionHeads, GroupsAreHeadsWithTheSameKeysAndValues) {
    const at::NoGradGuard no_grad;
    const Encoded encoded = random_encoded(19);
    const at::Tensor query = at::randn({3, 2, width}, at::kDouble);
    for (const std::int64_t groups : {1, 2, 4}) {
        HeadsAttention grouped(heads(4, groups));
        HeadsAttention full(heads(4, 4));
        grouped.to(at::kDouble);
        full.to(at::kDouble);
        randomize(grouped, 20);
        const auto from = grouped.named_parameters();
        for (auto& item : full.named_parameters()) {
            at::Tensor values = from[item.key()];
            if (values.size(0) != item.value().size(0)) {
                values = values.view({groups, 2, width}).repeat_interleave(4 / groups, 0).view({8, width});
            }
            item.value().copy_(values);
        }
        const AttentionResult a = attend(grouped, query, grouped.prepare(encoded, plain_execution));
        const AttentionResult b = attend(full, query, full.prepare(encoded, plain_execution));
        EXPECT_LE(largest_difference(a.context, b.context), 1e-14) << groups;
        EXPECT_LE(largest_difference(a.weights, b.weights), 1e-15) << groups;
    }
}

// The equations of Vaswani et al. 2017, section 3.2, head by head.
TEST(AttentionHeads, AreThoseOfTheEquations) {
    const at::NoGradGuard no_grad;
    const Encoded encoded = random_encoded(21);
    const at::Tensor query = at::randn({3, 2, width}, at::kDouble);
    HeadsAttention attention(heads(4, 2));
    attention.to(at::kDouble);
    randomize(attention, 22);
    const auto parameters = attention.named_parameters();
    const AttentionResult result = attend(attention, query, attention.prepare(encoded, plain_execution));
    for (std::int64_t row = 0; row < 3; ++row) {
        const std::int64_t length = encoded.lengths[static_cast<std::size_t>(row)];
        const at::Tensor annotations = encoded.annotations[row].narrow(0, 0, length);
        std::vector<at::Tensor> contexts;
        at::Tensor weights = at::zeros({2, length}, at::kDouble);
        for (std::int64_t head = 0; head < 4; ++head) {
            const auto part = [&](const char* name, std::int64_t number) {
                return parameters[name].narrow(0, 2 * number, 2).t();
            };
            const at::Tensor q = query[row].mm(part("weight_query", head));
            const at::Tensor k = annotations.mm(part("weight_key", head / 2));
            const at::Tensor v = annotations.mm(part("weight_value", head / 2));
            const at::Tensor alpha = (q.mm(k.t()) / std::sqrt(2.0)).softmax(1);
            contexts.push_back(alpha.mm(v));
            weights += alpha / 4.0;
        }
        const at::Tensor context = at::cat(contexts, 1).mm(parameters["weight_output"].t());
        EXPECT_LE(largest_difference(result.context[row], context), 1e-14);
        EXPECT_LE(largest_difference(result.weights[row].narrow(1, 0, length), weights), 1e-15);
    }
}

// The window of local-m moves with the target and stops at the end of the sentence.
TEST(AttentionLocal, MonotonicWindowFollowsTheTarget) {
    const at::NoGradGuard no_grad;
    MonotonicLocalAttention attention(std::make_shared<DotAttention>(width), 1);
    const Encoded encoded = random_encoded(23);  // lengths 3, 1, 4
    const AttentionMemory memory = attention.prepare(encoded, plain_execution);
    const AttentionResult result = attend(attention, at::randn({3, 6, width}, at::kDouble), memory);
    const at::Tensor seen = result.weights[2].gt(0.0);  // of the sentence of 4
    const bool expected[6][4] = {{true, true, false, false}, {true, true, true, false},  {false, true, true, true},
                                 {false, false, true, true}, {false, false, true, true}, {false, false, true, true}};
    for (std::int64_t t = 0; t < 6; ++t) {
        for (std::int64_t j = 0; j < 4; ++j) {
            EXPECT_EQ(seen[t][j].item<bool>(), expected[t][j]) << t << " " << j;
        }
    }
}

// Luong et al. 2015, equations 9 and 10, for one query.
TEST(AttentionLocal, PredictedWindowIsThatOfTheEquations) {
    const at::NoGradGuard no_grad;
    PredictiveLocalAttention attention(std::make_shared<DotAttention>(width), 2, width);
    attention.to(at::kDouble);
    randomize(attention, 24);
    const Encoded encoded = random_encoded(25);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    const auto parameters = attention.named_parameters();
    const AttentionResult result = attend(attention, query, attention.prepare(encoded, plain_execution), 5);
    for (std::int64_t row = 0; row < 3; ++row) {
        const std::int64_t length = encoded.lengths[static_cast<std::size_t>(row)];
        const at::Tensor q = query[row][0];
        const double predicted =
            parameters["weight_predict"].mv(parameters["weight_position"].mv(q).tanh()).sigmoid().item<double>() *
            static_cast<double>(length);
        double normalizer = 0.0;
        std::vector<double> weights(4, 0.0);
        for (std::int64_t s = 0; s < length; ++s) {
            const double distance = static_cast<double>(s) - predicted;
            if (std::abs(distance) <= 2.0) {
                const double power = std::exp(q.dot(encoded.annotations[row][s]).item<double>());
                normalizer += power;
                weights[static_cast<std::size_t>(s)] = power * std::exp(-distance * distance / 2.0);  // sigma = 1
            }
        }
        for (std::int64_t s = 0; s < 4; ++s) {
            EXPECT_NEAR(result.weights[row][0][s].item<double>(), weights[static_cast<std::size_t>(s)] / normalizer,
                        1e-14);
        }
    }
}

TEST(AttentionLocation, WordsBeyondTheLastPositionGetNoWeight) {
    const at::NoGradGuard no_grad;
    LocationAttention attention(3, width, width);
    attention.to(at::kDouble);
    randomize(attention, 26);
    const Encoded encoded = random_encoded(27);
    const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
    const AttentionResult result = attend(attention, query, attention.prepare(encoded, plain_execution));
    const at::Tensor expected = attention.parameters().front().mv(query[2][0]).softmax(0);
    EXPECT_LE(largest_difference(result.weights[2][0].narrow(0, 0, 3), expected), 1e-15);
    EXPECT_EQ(result.weights[2][0][3].item<double>(), 0.0);
}

// With gradients and wanted weights it is the plain form. Target steps go beyond the end of every sentence.
TEST(HeadsAttention, FusedFormIsThePlainFormWhereverTheQueriesStart) {
    for (const bool causal : {false, true}) {
        HeadsShape shape;
        shape.query_size = width;
        shape.annotation_size = width;
        shape.size = 12;
        shape.heads = 4;
        shape.groups = 2;
        shape.causal = causal;
        HeadsAttention attention(shape);
        attention.to(at::kDouble);
        randomize(attention, 30);
        const AttentionMemory memory = attention.prepare(random_encoded(31), plain_execution);
        for (const std::int64_t position : {0, 1, 2, 5}) {
            for (const std::int64_t steps : {1, 2, 6}) {
                const at::Tensor query = at::randn({3, steps, width}, at::kDouble);
                const AttentionResult plain = attend(attention, query, memory, position);
                const AttentionResult trained = attend(attention, query, memory, position, Weights::unwanted);
                EXPECT_LE(largest_difference(trained.context, plain.context), 1e-13);
                const at::NoGradGuard no_grad;
                const AttentionResult fused = attend(attention, query, memory, position);
                EXPECT_LE(largest_difference(fused.context, plain.context), 1e-13);
                EXPECT_LE(largest_difference(fused.weights, plain.weights), 1e-14);
            }
        }
    }
}

// What was attended before lowers or raises a score through weight_coverage, in units of the fertility.
TEST(AttentionCoverage, CountsWhatWasAttended) {
    const at::NoGradGuard no_grad;
    for (const CoverageType type : {CoverageType::sum, CoverageType::fertility}) {
        CoverageAttention attention(type, 5, width, width);
        attention.to(at::kDouble);
        randomize(attention, 28);
        const auto parameters = attention.named_parameters();
        const Encoded encoded = random_encoded(29);
        const AttentionMemory memory = attention.prepare(encoded, plain_execution);
        at::Tensor coverage = at::zeros({4}, at::kDouble);  // of the sentence of 4
        AttentionState state;
        for (int t = 0; t < 3; ++t) {
            const at::Tensor query = at::randn({3, 1, width}, at::kDouble);
            const AttentionResult result = attention.attend(query, memory, state, Weights::wanted, plain_execution);
            std::vector<at::Tensor> scores;
            std::vector<at::Tensor> fertilities;
            for (std::int64_t j = 0; j < 4; ++j) {
                const at::Tensor annotation = encoded.annotations[2][j];
                const at::Tensor inner = parameters["weight_query"].mv(query[2][0]) +
                                         parameters["weight_key"].mv(annotation) +
                                         parameters["weight_coverage"].squeeze(1) * coverage[j];
                scores.push_back(parameters["weight_score"].mv(inner.tanh())[0]);
                fertilities.push_back(type == CoverageType::fertility
                                          ? 2.0 * parameters["weight_fertility"].mv(annotation).sigmoid()[0]
                                          : at::ones({}, at::kDouble));
            }
            const at::Tensor weights = at::stack(scores).softmax(0);
            EXPECT_LE(largest_difference(result.weights[2][0], weights), 1e-14) << t;
            coverage = coverage + weights / at::stack(fertilities);
            EXPECT_LE(largest_difference(state.coverage[2], coverage), 1e-14) << t;
        }
    }
}

}  // namespace
}  // namespace softalign
