#include "search/seq2seq_stepper.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ops/plain_execution.h"
#include "search/search.h"

namespace softalign {
namespace {

constexpr std::int64_t source_words = 23;
constexpr std::int64_t target_words = 19;
constexpr std::int64_t bos = 2;
constexpr std::int64_t eos = 3;

ModelConfig small_config() {
    ModelConfig config;
    config.embedding_size = 12;
    config.encoder.hidden_size = 10;
    config.decoder.hidden_size = 14;
    config.attention.size = 9;
    config.init.weights = Initializer::normal;
    config.init.scale = 0.6;
    return config;
}

// What a model can be built of, as far as search is concerned: each state and memory that has to follow the rows.
std::vector<ModelConfig> configurations() {
    std::vector<ModelConfig> result(7, small_config());
    result[1].decoder.cell = CellType::lstm;
    result[1].decoder.layers = 2;
    result[2].decoder.attend = AttendWhen::after;
    result[2].attention.type = AttentionType::general;
    result[3].decoder.attend = AttendWhen::after;
    result[3].decoder.input_feeding = false;
    result[4].attention.type = AttentionType::none;
    result[5].decoder.lexical = true;
    result[6].decoder.lexical = true;
    result[6].decoder.type = DecoderType::transformer;
    result[6].transformer.heads = 2;
    return result;
}

std::shared_ptr<Seq2Seq> make_model(const ModelConfig& config) {
    auto model = std::make_shared<Seq2Seq>(config, VocabularySizes{source_words, target_words});
    model->initialize(5);
    return model;
}

// Sentences of different lengths, padded.
SourceBatch make_source() {
    return {at::tensor({5, 6, 7, 8, 9, 3, 4, 5, 3, 0, 0, 0, 11, 12, 13, 3, 0, 0}, at::kLong).view({3, 6}), {6, 3, 4}};
}

// One sentence of it, without its padding.
SourceBatch only(const SourceBatch& source, std::int64_t sentence) {
    const std::int64_t length = source.lengths[static_cast<std::size_t>(sentence)];
    return {source.values.narrow(0, sentence, 1).narrow(1, 0, length), {length}};
}

SearchOptions make_options() {
    SearchOptions options;
    options.beam = 4;
    options.n_best = 3;
    options.bos = bos;
    options.eos = eos;
    options.keep_attention = true;
    return options;
}

std::vector<SearchTask> up_to(const std::vector<std::int64_t>& lengths) {
    std::vector<SearchTask> tasks(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        tasks[i].max_length = lengths[i];
    }
    return tasks;
}

// log p(ids, eos | source) by a fresh stepper that is never selected from: the sum and the attention of the whole path.
Hypothesis follow(const Seq2Seq& model, const SourceBatch& source, const std::vector<std::int32_t>& ids) {
    Seq2SeqStepper stepper(model, source, plain_execution);
    Hypothesis result;
    std::int64_t previous = bos;
    for (std::size_t t = 0; t <= ids.size(); ++t) {
        const StepOutput output = stepper.step(at::tensor({previous}, at::kLong));
        const std::int64_t next = t < ids.size() ? ids[t] : eos;
        result.log_prob += output.log_probs[0][next].item<float>();
        if (output.attention.defined()) {
            const float* weights = output.attention.data_ptr<float>();
            result.attention.emplace_back(weights, weights + output.attention.size(1));
        }
        previous = next;
    }
    return result;
}

TEST(Seq2SeqStepper, SearchScoresThePathItReturns) {
    const SourceBatch source = make_source();
    for (const ModelConfig& config : configurations()) {
        const auto model = make_model(config);
        Seq2SeqStepper stepper(*model, source, plain_execution);
        const auto results = search(stepper, up_to({9, 4, 7}), make_options());
        for (std::int64_t b = 0; b < 3; ++b) {
            const auto& hypotheses = results[static_cast<std::size_t>(b)];
            ASSERT_EQ(hypotheses.size(), 3U);
            for (const Hypothesis& hypothesis : hypotheses) {
                const SourceBatch alone = only(source, b);
                const Hypothesis expected = follow(*model, alone, hypothesis.ids);
                EXPECT_NEAR(hypothesis.log_prob, expected.log_prob, 1e-4);
                ASSERT_EQ(hypothesis.attention.size(), expected.attention.size());
                for (std::size_t t = 0; t < expected.attention.size(); ++t) {
                    for (std::size_t s = 0; s < hypothesis.attention[t].size(); ++s) {
                        const float weight = s < expected.attention[t].size() ? expected.attention[t][s] : 0.0F;
                        EXPECT_NEAR(hypothesis.attention[t][s], weight, 1e-4);
                    }
                }
            }
        }
    }
}

TEST(Seq2SeqStepper, ASentenceAloneGivesWhatItGivesInABatch) {
    const SourceBatch source = make_source();
    const std::vector<std::int64_t> lengths = {9, 4, 7};
    for (const ModelConfig& config : configurations()) {
        const auto model = make_model(config);
        Seq2SeqStepper together(*model, source, plain_execution);
        const auto batch = search(together, up_to(lengths), make_options());
        for (std::size_t b = 0; b < 3; ++b) {
            const SourceBatch alone = only(source, static_cast<std::int64_t>(b));
            Seq2SeqStepper stepper(*model, alone, plain_execution);
            const auto single = search(stepper, up_to({lengths[b]}), make_options()).front();
            ASSERT_EQ(single.size(), batch[b].size());
            for (std::size_t i = 0; i < single.size(); ++i) {
                EXPECT_EQ(single[i].ids, batch[b][i].ids);
                EXPECT_NEAR(single[i].score, batch[b][i].score, 1e-4);
            }
        }
    }
}

TEST(Seq2SeqStepper, RowsMayBeDroppedRepeatedAndSelectedAgain) {
    const SourceBatch source = make_source();
    const auto model = make_model(small_config());
    Seq2SeqStepper whole(*model, source, plain_execution);
    Seq2SeqStepper picked(*model, source, plain_execution);
    whole.step(at::full({3}, bos, at::kLong));
    picked.step(at::full({3}, bos, at::kLong));
    picked.select(at::tensor({0, 0, 2}, at::kLong));
    picked.select(at::tensor({1, 2, 2, 2}, at::kLong));
    picked.select(at::tensor({0, 3, 1}, at::kLong));
    const at::Tensor expected = whole.step(at::tensor({7, 8, 9}, at::kLong)).log_probs;
    const at::Tensor actual = picked.step(at::tensor({7, 9, 9}, at::kLong)).log_probs;
    EXPECT_TRUE(at::allclose(actual[0], expected[0], 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(actual[1], expected[2], 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(actual[2], expected[2], 1e-5, 1e-6));
}

TEST(Seq2SeqStepper, GivesNormalisedLogProbabilitiesWithoutGradients) {
    const SourceBatch source = make_source();
    const auto model = make_model(small_config());
    Seq2SeqStepper stepper(*model, source, plain_execution);
    const StepOutput output = stepper.step(at::full({3}, bos, at::kLong));
    EXPECT_EQ(output.log_probs.sizes(), (at::IntArrayRef{3, target_words}));
    EXPECT_TRUE(at::allclose(output.log_probs.exp().sum(1), at::ones({3}), 1e-5, 1e-5));
    EXPECT_FALSE(output.log_probs.requires_grad());
    EXPECT_EQ(output.attention.sizes(), (at::IntArrayRef{3, 6}));
}

// The candidates of each sentence of make_source, eos among them.
const std::vector<std::vector<std::int32_t>> few_tokens = {
    {3, 1, 4, 6, 9, 10, 12}, {3, 5, 7, 9, 11, 13, 15, 17, 18}, {3, 8}};

// A model that gives no other token any probability.
std::shared_ptr<Seq2Seq> restricted_to(const std::vector<std::int32_t>& tokens, const ModelConfig& config) {
    auto model = make_model(config);
    const at::NoGradGuard no_gradients;
    at::Tensor bias = model->named_parameters()["output_bias"];
    const at::Tensor kept = bias.clone();
    bias.fill_(-std::numeric_limits<float>::infinity());
    for (const std::int32_t token : tokens) {
        bias[token] = kept[token];
    }
    return model;
}

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(actual[i].ids, expected[i].ids);
        EXPECT_NEAR(actual[i].log_prob, expected[i].log_prob, 1e-4);
    }
}

// Searches of every kind; what each sentence gives with its candidates, in a batch and alone, is what it gives with a
// model that knows no other tokens.
TEST(Seq2SeqStepper, CandidatesAreAllThatASentenceHas) {
    const SourceBatch source = make_source();
    const std::vector<std::int64_t> lengths = {9, 4, 7};
    const Candidates candidates = make_candidates(few_tokens, at::kCPU);
    std::vector<SearchOptions> searches(4, make_options());
    searches[1].beam = 20;  // more than there are candidates
    searches[1].n_best = 5;
    searches[2].groups = 2;
    searches[2].diversity = 0.7;
    searches[3].sampling = true;
    for (ModelConfig config : configurations()) {
        for (const TiedEmbeddings tied : {TiedEmbeddings::none, TiedEmbeddings::target}) {
            config.tied_embeddings = tied;
            config.decoder.readout_size = tied == TiedEmbeddings::target ? config.embedding_size : 0;
            const auto model = make_model(config);
            for (const SearchOptions& options : searches) {
                Seq2SeqStepper together(*model, source, plain_execution, {&candidates});
                const auto batch = search(together, up_to(lengths), options);
                for (std::size_t b = 0; b < 3; ++b) {
                    const SourceBatch alone = only(source, static_cast<std::int64_t>(b));
                    const auto restricted = restricted_to(few_tokens[b], config);
                    Seq2SeqStepper plain(*restricted, alone, plain_execution);
                    const auto expected = search(plain, up_to({lengths[b]}), options).front();
                    expect_same(batch[b], expected);
                    const Candidates own = make_candidates({few_tokens[b]}, at::kCPU);
                    Seq2SeqStepper single(*model, alone, plain_execution, {&own});
                    expect_same(search(single, up_to({lengths[b]}), options).front(), expected);
                }
            }
        }
    }
}

std::vector<ModelConfig> configurations_with_heads() {
    std::vector<ModelConfig> result(4, small_config());
    for (ModelConfig& config : result) {
        config.decoder.hidden_size = 12;
        config.attention.size = 12;
        config.attention.heads = 3;
        config.transformer.heads = 3;
        config.transformer.feed_forward_size = 15;
        config.encoder.hidden_size = 12;
    }
    result[0].decoder.type = DecoderType::transformer;
    result[1].decoder.type = DecoderType::transformer;
    result[1].decoder.layers = 3;
    result[1].transformer.alignment_layer = 1;
    result[2].attention.type = AttentionType::multi_head;
    result[3].attention.type = AttentionType::multi_query;
    result[3].decoder.attend = AttendWhen::after;
    return result;
}

TEST(Seq2SeqStepper, HypothesesAreTheSameWithoutWeights) {
    const SourceBatch source = make_source();
    std::vector<ModelConfig> all = configurations();
    for (const ModelConfig& config : configurations_with_heads()) {
        all.push_back(config);
    }
    std::vector<SearchOptions> searches(3, make_options());
    searches[1].beam = 1;
    searches[1].n_best = 1;
    searches[2].sampling = true;
    for (const ModelConfig& config : all) {
        const auto model = make_model(config);
        for (SearchOptions options : searches) {
            options.keep_attention = false;
            Seq2SeqStepper plain(*model, source, plain_execution, {nullptr, options.beam, Weights::unwanted});
            const auto expected = search(plain, up_to({9, 4, 7}), options);
            options.keep_attention = true;
            Seq2SeqStepper with_weights(*model, source, plain_execution, {nullptr, options.beam, Weights::wanted});
            const auto found = search(with_weights, up_to({9, 4, 7}), options);
            for (std::size_t b = 0; b < 3; ++b) {
                expect_same(found[b], expected[b]);
                EXPECT_TRUE(expected[b].front().attention.empty());
                EXPECT_EQ(found[b].front().attention.empty(), !model->has_attention());
            }
        }
    }
}

TEST(Seq2SeqStepper, WeightsOfHeadsAreComputedOnlyWhereTheyAreWanted) {
    const SourceBatch source = make_source();
    for (const ModelConfig& config : configurations_with_heads()) {
        const auto model = make_model(config);
        for (const Weights weights : {Weights::wanted, Weights::unwanted}) {
            Seq2SeqStepper stepper(*model, source, plain_execution, {nullptr, 1, weights});
            EXPECT_EQ(stepper.step(at::full({3}, bos, at::kLong)).attention.defined(), weights == Weights::wanted);
        }
    }
}

TEST(Seq2SeqStepper, CandidatesFollowTheRows) {
    const SourceBatch source = make_source();
    const auto model = make_model(small_config());
    const Candidates candidates = make_candidates(few_tokens, at::kCPU);
    Seq2SeqStepper stepper(*model, source, plain_execution, {&candidates});
    stepper.step(at::full({3}, bos, at::kLong));
    stepper.select(at::tensor({0, 0, 2}, at::kLong));
    stepper.select(at::tensor({1, 2, 2}, at::kLong));
    const at::Tensor probabilities = stepper.step(at::tensor({4, 8, 8}, at::kLong)).log_probs.exp();
    EXPECT_EQ(probabilities.sizes(), (at::IntArrayRef{3, target_words}));
    EXPECT_TRUE(at::allclose(probabilities.sum(1), at::ones({3}), 1e-5, 1e-5));
    EXPECT_EQ((probabilities[0] > 0).sum().item<std::int64_t>(), 7);
    EXPECT_EQ((probabilities[1] > 0).sum().item<std::int64_t>(), 2);
    EXPECT_GT(probabilities[2][8].item<float>(), 0.0F);
}

}  // namespace
}  // namespace softalign
