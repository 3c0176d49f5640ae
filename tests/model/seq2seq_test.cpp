#include "model/seq2seq.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fixtures.h"
#include "model/recurrent/decoder.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

// Loss and gradients of one batch.
struct Figures {
    double objective = 0.0;
    double negative_log_prob = 0.0;
    std::int64_t tokens = 0;
    std::int64_t sentences = 0;
    std::vector<at::Tensor> gradients;
};

Figures figures(Seq2Seq& model, const TensorBatch& batch) {
    const Loss loss = model.loss(batch, 0.1, plain_execution);
    return {loss.objective.item<double>(), loss.negative_log_prob.item<double>(), loss.tokens, loss.sentences,
            gradients_of(model, loss.objective)};
}

void expect_equal(const Figures& a, const Figures& b) {
    EXPECT_NEAR(a.objective, b.objective, 1e-12);
    EXPECT_NEAR(a.negative_log_prob, b.negative_log_prob, 1e-12);
    EXPECT_EQ(a.tokens, b.tokens);
    EXPECT_EQ(a.sentences, b.sentences);
    EXPECT_LE(largest_difference(a.gradients, b.gradients), 1e-12);
}

class Seq2SeqTest : public testing::TestWithParam<std::size_t> {
protected:
    // Calls f(model) for every variant of the group.
    template <typename Function>
    void for_each_model(Function f) {
        std::uint64_t seed = 51;
        for (const Variant& variant : variant_groups().at(GetParam()).variants) {
            SCOPED_TRACE(variant.name);
            const auto model = random_model(variant.config, seed++);
            f(*model);
        }
    }
};

TEST_P(Seq2SeqTest, GradientsMatchFiniteDifferences) {
    const TensorBatch batch = make_tensors(sample_pairs());
    for_each_model([&](Seq2Seq& model) {
        std::string worst;
        const auto objective = [&] { return model.loss(batch, 0.1, plain_execution).objective; };
        EXPECT_LE(directional_error(objective, model, &worst), 2e-7) << worst;
    });
}

TEST_P(Seq2SeqTest, EveryParameterHasAGradient) {
    const TensorBatch batch = make_tensors(sample_pairs());
    for_each_model([&](Seq2Seq& model) {
        const std::vector<at::Tensor> gradients =
            gradients_of(model, model.loss(batch, 0.0, plain_execution).objective);
        std::size_t i = 0;
        for (const auto& item : model.named_parameters()) {
            EXPECT_GT(gradients[i++].abs().max().item<double>(), 1e-9) << item.key();
        }
    });
}

TEST_P(Seq2SeqTest, PaddingChangesNothing) {
    const TensorBatch tight = make_tensors(sample_pairs());
    const TensorBatch wide = make_tensors(sample_pairs(), 3, 7);
    for_each_model([&](Seq2Seq& model) { expect_equal(figures(model, tight), figures(model, wide)); });
}

TEST_P(Seq2SeqTest, ABatchIsTheSumOfItsSentences) {
    for_each_model([&](Seq2Seq& model) {
        const Figures together = figures(model, make_tensors(sample_pairs()));
        Figures sum;
        for (const Pair& pair : sample_pairs()) {
            const Figures one = figures(model, make_tensors({pair}));
            sum.objective += one.objective;
            sum.negative_log_prob += one.negative_log_prob;
            sum.tokens += one.tokens;
            sum.sentences += one.sentences;
            for (std::size_t i = 0; i < one.gradients.size(); ++i) {
                if (sum.gradients.size() <= i) {
                    sum.gradients.push_back(at::zeros_like(one.gradients[i]));
                }
                sum.gradients[i] += one.gradients[i];
            }
        }
        expect_equal(together, sum);
    });
}

TEST_P(Seq2SeqTest, TheOrderInABatchChangesNothing) {
    std::vector<Pair> shuffled = sample_pairs();
    std::rotate(shuffled.begin(), shuffled.begin() + 2, shuffled.end());
    std::swap(shuffled[0], shuffled[1]);
    for_each_model([&](Seq2Seq& model) {
        expect_equal(figures(model, make_tensors(sample_pairs())), figures(model, make_tensors(shuffled)));
    });
}

std::vector<Pair> reversed_targets(std::vector<Pair> pairs) {
    for (Pair& pair : pairs) {
        std::reverse(pair.target.begin(), pair.target.end());
    }
    return pairs;
}

// A row for each pair, in the order that a model writes -> in the order of the text.
at::Tensor in_text_order(const at::Tensor& written, const std::vector<Pair>& pairs, const Seq2Seq& model) {
    at::Tensor result = written.clone();
    for (std::size_t b = 0; b < pairs.size() && model.config().decoder.reverse_target; ++b) {
        const auto row = static_cast<std::int64_t>(b);
        const auto words = static_cast<std::int64_t>(pairs[b].target.size());
        for (std::int64_t t = 0; t < words; ++t) {
            result[row][t] = written[row][words - 1 - t];
        }
    }
    return result;
}

at::Tensor present_in(const TensorBatch& batch) {
    return token_mask(batch.target_lengths, batch.target_out.size(1), at::kCPU);
}

TEST_P(Seq2SeqTest, StepByStepIsTeacherForced) {
    const at::NoGradGuard no_grad;
    for_each_model([&](Seq2Seq& model) {
        const TensorBatch text = make_tensors(sample_pairs(), 1);
        const TensorBatch batch =
            model.config().decoder.reverse_target ? make_tensors(reversed_targets(sample_pairs()), 1) : text;
        const Encoded encoded = model.encode(batch.source, plain_execution);
        const MemoryPtr memory = model.decoder().prepare(encoded, plain_execution);
        StatePtr state = model.decoder().start(encoded, plain_execution);
        at::Tensor total = at::zeros({batch.source.sentences()}, at::kDouble);
        std::vector<at::Tensor> log_probs;
        for (std::int64_t t = 0; t < batch.target_in.size(1); ++t) {
            const TargetStep step = model.step(batch.target_in.select(1, t), *memory, *state, plain_execution);
            const at::Tensor truth = batch.target_out.select(1, t).unsqueeze(1);
            const at::Tensor present = present_in(batch).select(1, t).to(at::kDouble);
            const at::Tensor log_prob = step.logits.log_softmax(1).gather(1, truth).squeeze(1) * present;
            log_probs.push_back(log_prob);
            total += log_prob;
            state = step.state;
            ASSERT_EQ(step.weights.defined(), model.has_attention());
            if (step.weights.defined()) {
                const at::Tensor padding = batch.source.mask().logical_not();
                EXPECT_TRUE(step.weights.masked_select(padding).eq(0.0).all().item<bool>());
                const at::Tensor sums = step.weights.sum(1);
                if (model.config().attention.type == AttentionType::local_p) {
                    EXPECT_LE(sums.max().item<double>(), 1.0 + 1e-14);
                } else {
                    EXPECT_LE(largest_difference(sums, at::ones_like(total)), 1e-14);
                }
            }
        }
        EXPECT_LE(largest_difference(model.token_log_probs(text, plain_execution),
                                     in_text_order(at::stack(log_probs, 1), sample_pairs(), model)),
                  1e-12);
        EXPECT_NEAR(-total.sum().item<double>(),
                    model.loss(text, 0.0, plain_execution).negative_log_prob.item<double>(), 1e-10);
    });
}

TEST_P(Seq2SeqTest, TheAttentionOfATranslationIsThatOfItsSteps) {
    const at::NoGradGuard no_grad;
    for_each_model([&](Seq2Seq& model) {
        if (!model.has_attention()) {
            return;
        }
        const TensorBatch text = make_tensors(sample_pairs(), 1);
        const TensorBatch batch =
            model.config().decoder.reverse_target ? make_tensors(reversed_targets(sample_pairs()), 1) : text;
        const Encoded encoded = model.encode(batch.source, plain_execution);
        const MemoryPtr memory = model.decoder().prepare(encoded, plain_execution);
        StatePtr state = model.decoder().start(encoded, plain_execution);
        std::vector<at::Tensor> weights;
        for (std::int64_t t = 0; t < batch.target_in.size(1); ++t) {
            const TargetStep step = model.step(batch.target_in.select(1, t), *memory, *state, plain_execution);
            weights.push_back(step.weights);
            state = step.state;
        }
        const at::Tensor expected = in_text_order(at::stack(weights, 1), sample_pairs(), model);
        const at::Tensor present = present_in(batch).unsqueeze(2).to(expected.scalar_type());
        EXPECT_LE(largest_difference(model.attention(text, plain_execution) * present, expected * present), 1e-12);
    });
}

TEST_P(Seq2SeqTest, LogitsOfSomeWordsAreThoseOfAll) {
    const at::NoGradGuard no_grad;
    const TensorBatch batch = make_tensors(sample_pairs());
    const at::Tensor asked = at::tensor({3, 4, 6, 7}, at::kLong);
    for_each_model([&](Seq2Seq& model) {
        const Encoded encoded = model.encode(batch.source, plain_execution);
        const MemoryPtr memory = model.decoder().prepare(encoded, plain_execution);
        const StatePtr state = model.decoder().start(encoded, plain_execution);
        const at::Tensor previous = at::full({4}, bos_id, at::kLong);
        const OutputLayer words = model.output_words(asked, plain_execution);
        const at::Tensor all = model.step(previous, *memory, *state, plain_execution).logits;
        EXPECT_LE(largest_difference(model.step(previous, *memory, *state, plain_execution, {&words}).logits,
                                     all.index_select(1, asked)),
                  1e-12);
    });
}

TEST_P(Seq2SeqTest, SelectCommutesWithStep) {
    const at::NoGradGuard no_grad;
    const TensorBatch batch = make_tensors(sample_pairs());
    const at::Tensor rows = at::tensor({2, 0, 0, 3, 2}, at::kLong);
    for_each_model([&](Seq2Seq& model) {
        const Encoded encoded = model.encode(batch.source, plain_execution);
        const MemoryPtr memory = model.decoder().prepare(encoded, plain_execution);
        const auto next = [&](const StatePtr& state, const at::Tensor& words) {
            return model.step(words, words.size(0) == 4 ? *memory : *memory->select(rows), *state, plain_execution);
        };
        const at::Tensor words = at::tensor({4, 5, 6, 7}, at::kLong);
        const StatePtr state =
            next(model.decoder().start(encoded, plain_execution), at::full({4}, bos_id, at::kLong)).state;
        const TargetStep whole = next(state, words);
        const TargetStep picked = next(state->select(rows), words.index_select(0, rows));
        EXPECT_LE(largest_difference(picked.logits, whole.logits.index_select(0, rows)), 1e-13);
        // What is in a state shows in the steps that follow.
        const at::Tensor after = at::tensor({8, 4, 4, 6, 8}, at::kLong);
        EXPECT_LE(largest_difference(next(picked.state, after).logits, next(whole.state->select(rows), after).logits),
                  1e-13);
    });
}

TEST_P(Seq2SeqTest, AStepLeavesTheStateItWasGivenAlone) {
    const at::NoGradGuard no_grad;
    const TensorBatch batch = make_tensors(sample_pairs());
    for_each_model([&](Seq2Seq& model) {
        const Encoded encoded = model.encode(batch.source, plain_execution);
        const MemoryPtr memory = model.decoder().prepare(encoded, plain_execution);
        const StatePtr state = model.decoder().start(encoded, plain_execution);
        const at::Tensor words = at::full({4}, bos_id, at::kLong);
        const at::Tensor first = model.step(words, *memory, *state, plain_execution).logits;
        EXPECT_TRUE(first.equal(model.step(words, *memory, *state, plain_execution).logits));
    });
}

INSTANTIATE_TEST_SUITE_P(All, Seq2SeqTest, testing::Range(std::size_t{0}, variant_groups().size()),
                         [](const auto& info) { return variant_groups().at(info.param).name; });

TEST(TensorBatch, HasFeaturesWithTheirGridsAsItsSource) {
    Example narrow{0, {}, {5}};
    narrow.features = {{2, 1}, 2, {1.0F, 2.0F, 3.0F, 4.0F}};
    Example wide{1, {}, {6}};
    wide.features = {{1, 3}, 2, {5.0F, 6.0F, 7.0F, 8.0F, 9.0F, 10.0F}};
    const SourceBatch source = to_tensors(make_batch({narrow, wide}, {}), at::kCPU).source;
    EXPECT_EQ(source.grids, (std::vector<Grid>{{2, 1}, {1, 3}}));
    EXPECT_EQ(source.lengths, (std::vector<std::int64_t>{2, 3}));
    EXPECT_TRUE(source.values.equal(
        at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 0.0F, 0.0F, 5.0F, 6.0F, 7.0F, 8.0F, 9.0F, 10.0F}).view({2, 3, 2})));
}

// Steps for several rows a sentence: reading one memory, with and without values projected ahead, is reading copies.
TEST(Seq2Seq, SharedAndProjectedMemoriesAreCopies) {
    const at::NoGradGuard no_grad;
    std::int64_t projecting = 0;
    std::int64_t sharing = 0;
    for (const VariantGroup& group : variant_groups()) {
        for (const Variant& variant : group.variants) {
            const auto model = random_model(variant.config, 77);
            const TensorBatch batch = make_tensors(sample_pairs());
            const Encoded encoded = model->encode(batch.source, plain_execution);
            const MemoryPtr memory = model->decoder().prepare(encoded, plain_execution);
            const at::Tensor rows = at::tensor({0, 0, 2, 3, 3, 3}, at::kLong);
            const at::Tensor words = at::tensor({4, 5, 6, 4, 7, 8}, at::kLong);
            const StatePtr state = model->decoder().start(encoded, plain_execution)->select(rows);
            const auto step = [&](const MemoryPtr& read) { return model->step(words, *read, *state, plain_execution); };
            const TargetStep copied = step(memory->select(rows));
            const MemoryPtr many = model->decoder().prepare_for_many(memory, plain_execution);
            EXPECT_LE(largest_difference(step(many->select(rows)).logits, copied.logits), 1e-12) << variant.name;
            projecting += many != memory ? 1 : 0;
            const MemoryPtr shared = many->share(rows);
            const auto* recurrent = dynamic_cast<const RecurrentMemory*>(shared.get());
            sharing += recurrent != nullptr && recurrent->attention.rows.defined() ? 1 : 0;
            EXPECT_LE(largest_difference(step(shared).logits, copied.logits), 1e-12) << variant.name;
            if (model->has_attention()) {
                EXPECT_LE(largest_difference(step(shared).weights, copied.weights), 1e-13) << variant.name;
            }
        }
    }
    EXPECT_GT(projecting, 0);
    EXPECT_GT(sharing, projecting);
}

// Rows of a memory that is shared itself are rows of what it stands for.
TEST(Seq2Seq, RowsOfASharedMemoryAreThoseOfACopy) {
    const at::NoGradGuard no_grad;
    const at::Tensor rows = at::tensor({0, 0, 2, 3, 3, 3}, at::kLong);
    const at::Tensor of_rows = at::tensor({5, 2, 2, 1}, at::kLong);
    const at::Tensor words = at::tensor({4, 5, 6, 7}, at::kLong);
    for (const VariantGroup& group : variant_groups()) {
        for (const Variant& variant : group.variants) {
            const auto model = random_model(variant.config, 77);
            const Encoded encoded = model->encode(make_tensors(sample_pairs()).source, plain_execution);
            const MemoryPtr memory = model->decoder().prepare(encoded, plain_execution);
            const StatePtr state = model->decoder().start(encoded, plain_execution)->select(rows)->select(of_rows);
            const auto logits = [&](const MemoryPtr& read) {
                return model->step(words, *read, *state, plain_execution).logits;
            };
            const at::Tensor copied = logits(memory->select(rows)->select(of_rows));
            const MemoryPtr shared = memory->share(rows);
            EXPECT_LE(largest_difference(logits(shared->share(of_rows)), copied), 1e-12) << variant.name;
            EXPECT_LE(largest_difference(logits(shared->select(of_rows)), copied), 1e-12) << variant.name;
        }
    }
}

// Float has kernels of its own.
TEST(Seq2Seq, FloatIsNearDouble) {
    const TensorBatch batch = make_tensors(sample_pairs());
    std::vector<VariantGroup> groups = groups_of_kinds();
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        groups.push_back({"", all_variants(cell, Order::before)});
    }
    for (const VariantGroup& group : groups) {
        for (const Variant& variant : group.variants) {
            const auto model = random_model(variant.config, 64);
            const Figures exact = figures(*model, batch);
            model->to(at::kFloat);
            const Figures rounded = figures(*model, batch);
            EXPECT_NEAR(exact.objective / rounded.objective, 1.0, 2e-6) << variant.name;
            for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
                // Layer normalisation divides by small deviations, which enlarges float's rounding.
                EXPECT_LE(largest_difference(exact.gradients[i], rounded.gradients[i].to(at::kDouble)), 5e-4)
                    << variant.name;
            }
        }
    }
}

TEST(Seq2Seq, LossCountsTokensAndSentences) {
    const auto model = random_model(all_variants(CellType::gru, Order::before)[0].config, 65);
    const Loss loss = model->loss(make_tensors(sample_pairs(), 2), 0.1, plain_execution);
    EXPECT_EQ(loss.tokens, 3 + 5 + 2 + 1);
    EXPECT_EQ(loss.sentences, 4);
    EXPECT_FALSE(loss.negative_log_prob.requires_grad());
    EXPECT_TRUE(loss.objective.requires_grad());
}

// More words than are taken to the output layer at a time.
TEST(Seq2Seq, TokenLogProbsOfALargeBatchAreItsLoss) {
    const at::NoGradGuard no_grad;
    std::vector<Pair> pairs;
    for (std::int64_t i = 0; i < 60; ++i) {
        pairs.push_back({{4, 5, 6}, std::vector<std::int64_t>(static_cast<std::size_t>(i % 30), 4 + i % 5)});
    }
    const TensorBatch batch = make_tensors(pairs);
    const auto model = random_model(all_variants(CellType::gru, Order::before)[0].config, 66);
    const Loss loss = model->loss(batch, 0.0, plain_execution);
    ASSERT_GT(loss.tokens, 512);
    const at::Tensor log_probs = model->token_log_probs(batch, plain_execution);
    EXPECT_NEAR(-log_probs.sum().item<double>(), loss.negative_log_prob.item<double>(), 1e-9);
    EXPECT_TRUE(log_probs.masked_select(present_in(batch).logical_not()).eq(0.0).all().item<bool>());
}

// The tensors are those of a model that writes from left to right, and mean the same for a target turned round.
TEST(Seq2Seq, RightToLeftIsLeftToRightOfTheReversedTarget) {
    ModelConfig config = all_variants(CellType::gru, Order::before)[0].config;
    const auto plain = random_model(config, 67);
    config.decoder.reverse_target = true;
    const auto reversing = random_model(config, 67);
    const TensorBatch text = make_tensors(sample_pairs(), 2, 7);
    expect_equal(figures(*reversing, text), figures(*plain, make_tensors(reversed_targets(sample_pairs()))));
    EXPECT_GT(std::abs(figures(*reversing, text).objective - figures(*plain, text).objective), 1e-3);
    const at::NoGradGuard no_grad;
    const at::Tensor written =
        plain->token_log_probs(make_tensors(reversed_targets(sample_pairs()), 2), plain_execution);
    EXPECT_LE(largest_difference(reversing->token_log_probs(text, plain_execution),
                                 in_text_order(written, sample_pairs(), *reversing)),
              1e-12);
}

TEST(Seq2Seq, TyingRemovesTables) {
    ModelConfig config = all_variants(CellType::gru, Order::before)[0].config;
    config.decoder.readout_size = 0;
    const auto names = [&](TiedEmbeddings tied) {
        config.tied_embeddings = tied;
        const Seq2Seq model(config, {9, 9});
        std::set<std::string> all;
        std::int64_t count = 0;
        for (const auto& item : model.named_parameters()) {
            all.insert(item.key());
            count += item.value().numel();
        }
        EXPECT_EQ(model.parameter_count(), count);
        return all;
    };
    const std::set<std::string> none = names(TiedEmbeddings::none);
    const std::set<std::string> target = names(TiedEmbeddings::target);
    const std::set<std::string> all = names(TiedEmbeddings::all);
    EXPECT_EQ(none.count("source_embedding") + none.count("target_embedding") + none.count("output_weight"), 3U);
    EXPECT_EQ(target.size(), none.size() - 1);
    EXPECT_EQ(target.count("output_weight"), 0U);
    EXPECT_EQ(all.size(), none.size() - 2);
    EXPECT_EQ(all.count("source_embedding"), 1U);
    EXPECT_EQ(all.count("target_embedding"), 0U);
}

TEST(Seq2Seq, TensorsOfABatchAreItsRectangles) {
    const TensorBatch batch = make_tensors({{{5, 4}, {6}}, {{7}, {8, 8}}});
    EXPECT_TRUE(batch.source.values.equal(at::tensor({5, 4, 3, 7, 3, 0}, at::kLong).view({2, 3})));
    EXPECT_TRUE(batch.target_in.equal(at::tensor({2, 6, 0, 2, 8, 8}, at::kLong).view({2, 3})));
    EXPECT_TRUE(batch.target_out.equal(at::tensor({6, 3, 0, 8, 8, 3}, at::kLong).view({2, 3})));
    EXPECT_TRUE(batch.source.mask().equal(at::tensor({1, 1, 1, 1, 1, 0}, at::kLong).view({2, 3}).to(at::kBool)));
    EXPECT_TRUE(present_in(batch).equal(at::tensor({1, 1, 0, 1, 1, 1}, at::kLong).view({2, 3}).to(at::kBool)));
}

}  // namespace
}  // namespace softalign
