#include "ops/heads_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/differences.h"

namespace softalign {
namespace {

// Sequences that lie one after the other, as in a batch without padding.
Sequences in_a_row(const std::vector<std::int64_t>& queries, const std::vector<std::int64_t>& keys) {
    Sequences result{{}, queries, {}, keys};
    std::int64_t query = 0;
    std::int64_t key = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        result.query_begin.push_back(query);
        result.key_begin.push_back(key);
        query += queries[i];
        key += keys[i];
    }
    return result;
}

const Sequences& some_sequences() {
    static const Sequences sequences = in_a_row({1, 5, 17, 1, 3, 70}, {1, 5, 17, 40, 9, 70});
    return sequences;
}

constexpr std::int64_t query_rows = 97;
constexpr std::int64_t key_rows = 142;

std::vector<HeadsForm> some_forms() {
    std::vector<HeadsForm> forms;
    for (const std::int64_t groups : {1, 2, 4}) {
        for (const bool causal : {false, true}) {
            for (const double dropout : {0.0, 0.2}) {
                forms.push_back({4, groups, causal, dropout});
            }
        }
    }
    return forms;
}

using Attend = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&, const Sequences&,
                              const HeadsForm&, Noise*);

// The second mask that a noise draws.
at::Tensor run(Attend attend, const std::vector<at::Tensor>& inputs, const Sequences& sequences,
               const HeadsForm& form) {
    Noise noise(5);
    noise.next_key();
    return attend(inputs[0], inputs[1], inputs[2], sequences, form, &noise);
}

TEST(HeadsAttention, FusedFormIsThePlainForm) {
    at::manual_seed(31);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const double tolerance = type == at::kDouble ? 1e-12 : 3e-5;
        for (const HeadsForm& form : some_forms()) {
            const std::vector<at::Tensor> inputs = {at::randn({query_rows, 4 * 9}, type),
                                                    at::randn({key_rows, form.groups * 9}, type),
                                                    at::randn({key_rows, form.groups * 9}, type)};
            const at::Tensor weight = at::randn({query_rows, 4 * 9}, type);
            const auto differentiated = [&](Attend attend) {
                return differentiate(
                    [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                        return run(attend, {q, k, v}, some_sequences(), form);
                    },
                    inputs, weight);
            };
            const Differentiated fused = differentiated(heads_attention);
            const Differentiated plain = differentiated(heads_attention_plain);
            EXPECT_LE(largest_difference(fused.result, plain.result), tolerance);
            EXPECT_LE(largest_difference(fused.gradients, plain.gradients), tolerance)
                << form.groups << " groups, causal " << form.causal << ", dropout " << form.dropout;
            const at::NoGradGuard no_gradients;
            EXPECT_TRUE(run(heads_attention, inputs, some_sequences(), form).equal(fused.result));
        }
    }
}

TEST(HeadsAttention, GradientsMatchFiniteDifferences) {
    at::manual_seed(32);
    const Sequences sequences = in_a_row({2, 1, 3}, {2, 4, 5});
    for (const HeadsForm& form : some_forms()) {
        const std::vector<at::Tensor> inputs = {differentiable({6, 4 * 3}), differentiable({11, form.groups * 3}),
                                                differentiable({11, form.groups * 3})};
        const at::Tensor weight = at::randn({6, 4 * 3}, at::kDouble);
        for (const auto attend : {heads_attention, heads_attention_plain}) {
            const auto scalar = [&] { return (run(attend, inputs, sequences, form) * weight).sum(); };
            EXPECT_LE(gradient_error(scalar, inputs), 1e-8);
        }
    }
}

// Five hypotheses of two sentences.
TEST(HeadsAttention, SequencesMayShareKeys) {
    at::manual_seed(33);
    const Sequences sequences{{0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}, {2, 2, 2, 13, 13}, {11, 11, 11, 6, 6}};
    for (const HeadsForm& form : some_forms()) {
        const std::vector<at::Tensor> inputs = {differentiable({5, 4 * 8}), differentiable({19, form.groups * 8}),
                                                differentiable({19, form.groups * 8})};
        run(heads_attention, inputs, sequences, form).pow(2).sum().backward();
        const std::vector<at::Tensor> fused = take_gradients(inputs);
        const at::Tensor plain = run(heads_attention_plain, inputs, sequences, form);
        plain.pow(2).sum().backward();
        EXPECT_LE(largest_difference(fused, take_gradients(inputs)), 1e-12);
        const at::NoGradGuard no_gradients;
        EXPECT_LE(largest_difference(run(heads_attention, inputs, sequences, form), plain), 1e-13);
    }
}

// Queries, keys and values as columns of one product.
TEST(HeadsAttention, TakesColumnsOfAWiderMatrix) {
    at::manual_seed(34);
    const HeadsForm form{4, 2, true, 0.0};
    const Sequences sequences = in_a_row({3, 8}, {3, 8});
    const at::Tensor joined = differentiable({11, 4 * 6 + 2 * 2 * 6});
    const auto slices = [&](const at::Tensor& x) {
        return std::vector<at::Tensor>{x.narrow(1, 0, 24), x.narrow(1, 24, 12), x.narrow(1, 36, 12)};
    };
    const at::Tensor fused = run(heads_attention, slices(joined), sequences, form);
    fused.pow(2).sum().backward();
    const std::vector<at::Tensor> gradients = take_gradients({joined});
    const at::Tensor plain = run(heads_attention_plain, slices(joined), sequences, form);
    plain.pow(2).sum().backward();
    EXPECT_LE(largest_difference(fused, plain), 1e-13);
    EXPECT_LE(largest_difference(gradients, take_gradients({joined})), 1e-12);
    const at::Tensor scattered = joined.detach().t().contiguous().t();  // columns are not neighbours
    EXPECT_TRUE(run(heads_attention, slices(scattered), sequences, form).equal(fused));
}

TEST(HeadsAttention, QueriesWithoutKeysGiveZeros) {
    at::manual_seed(35);
    const Sequences sequences{{1, 5}, {4, 1}, {0, 3}, {2, 1}};  // row 0 belongs to none; 1 and 2 are before all keys
    const HeadsForm form{2, 2, true, 0.0};
    const std::vector<at::Tensor> inputs = {differentiable({6, 6}), differentiable({4, 6}), differentiable({4, 6})};
    for (const auto attend : {heads_attention, heads_attention_plain}) {
        const at::Tensor result = run(attend, inputs, sequences, form);
        EXPECT_TRUE(result.narrow(0, 0, 3).eq(0.0).all().item<bool>());
        EXPECT_TRUE(result.narrow(0, 3, 3).ne(0.0).all().item<bool>());
        const auto scalar = [&] { return run(attend, inputs, sequences, form).pow(2).sum(); };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-8);
    }
}

TEST(HeadsAttention, DropoutIsNewInEveryCallAndKeepsTheMean) {
    at::manual_seed(36);
    const HeadsForm form{1, 1, false, 0.5};
    const Sequences sequences = in_a_row({200}, {200});
    const at::Tensor q = at::zeros({200, 1}, at::kDouble);
    const at::Tensor v = at::ones({200, 1}, at::kDouble);
    Noise noise(8);
    const at::Tensor first = heads_attention(q, q, v, sequences, form, &noise);
    const at::Tensor second = heads_attention(q, q, v, sequences, form, &noise);
    EXPECT_FALSE(first.equal(second));
    // A row is the mean of 200 elements that are 0 or 2.
    EXPECT_NEAR(first.mean().item<double>(), 1.0, 5.0 / 200.0);
    EXPECT_LE((first - 1.0).abs().max().item<double>(), 5.0 / std::sqrt(200.0));
    EXPECT_TRUE(heads_attention(q, q, v, sequences, form, nullptr).sub(1.0).abs().lt(1e-14).all().item<bool>());
}

TEST(HeadsWeights, AreTheMeanOverTheHeads) {
    at::manual_seed(37);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const double tolerance = type == at::kDouble ? 1e-13 : 5e-6;
        for (const HeadsForm& form : some_forms()) {
            const at::Tensor q = at::randn({query_rows, 4 * 9}, type);
            const at::Tensor k = at::randn({key_rows, form.groups * 9}, type);
            const at::Tensor weights = heads_weights(q, k, some_sequences(), form, 75);
            EXPECT_EQ(weights.sizes(), (std::vector<std::int64_t>{query_rows, 75}));
            EXPECT_LE(largest_difference(weights, heads_weights_plain(q, k, some_sequences(), form, 75)), tolerance);
            EXPECT_LE(largest_difference(weights.sum(1), at::ones({query_rows}, type)), tolerance);
            // Attention to values that are columns of the identity is the weights.
            const Sequences& sequences = some_sequences();
            at::Tensor numbers = at::zeros({key_rows, form.groups * 75}, type);
            for (std::size_t i = 0; i < sequences.key_begin.size(); ++i) {
                for (std::int64_t s = 0; s < sequences.key_length[i]; ++s) {
                    for (std::int64_t group = 0; group < form.groups; ++group) {
                        numbers[sequences.key_begin[i] + s][group * 75 + s] = 1.0;
                    }
                }
            }
            const double scale = std::sqrt(75.0 / 9.0);
            const auto padded = [&](const at::Tensor& x, std::int64_t heads) {
                return at::constant_pad_nd(x.view({-1, heads, 9}), {0, 66}).reshape({-1, heads * 75});
            };
            HeadsForm plain = form;
            plain.dropout = 0.0;
            const at::Tensor each =
                heads_attention_plain(padded(q, 4) * scale, padded(k, form.groups), numbers, sequences, plain, nullptr);
            EXPECT_LE(largest_difference(weights, each.view({query_rows, 4, 75}).mean(1)), tolerance);
        }
    }
}

}  // namespace
}  // namespace softalign
