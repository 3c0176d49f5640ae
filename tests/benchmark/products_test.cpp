// The formulas against figures worked out by hand, and against the products that a model really runs.
#include "benchmark/products.h"

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "model/fixtures.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

std::map<std::string, double> by_name(const std::vector<PartWork>& parts) {
    std::map<std::string, double> named;
    for (const PartWork& part : parts) {
        named[part.name] = part.forward;
    }
    return named;
}

ModelConfig default_config() {
    ModelConfig config;  // GRU both ways, additive attention before the update, tanh readout
    config.embedding_size = 3;
    config.encoder.hidden_size = 5;
    config.decoder.hidden_size = 7;
    config.attention.size = 11;
    config.decoder.readout_size = 13;
    return config;
}

// 2 rows of 4 source and 6 target positions, 10 true words, 17 words in the vocabulary.
const BatchShape example{2, 4, 6, 10};

std::vector<PartWork> work_of(const ModelConfig& config) {
    return Seq2Seq(config, {19, 17}).work(example);
}

TEST(Work, OfTheDefaultModelByHand) {
    const auto parts = by_name(work_of(default_config()));
    EXPECT_EQ(parts.at("encoder inputs"), 2.0 * (2 * 4) * 3 * (2 * 15));
    EXPECT_EQ(parts.at("encoder states"), 2.0 * (2 * 4) * 5 * (2 * 15));
    EXPECT_EQ(parts.at("self-attention"), 0.0);
    EXPECT_EQ(parts.at("keys"), 2.0 * (2 * 4) * 10 * 11);
    EXPECT_EQ(parts.at("first state"), 2.0 * 2 * 10 * 7);
    EXPECT_EQ(parts.at("decoder inputs"), 2.0 * (2 * 6) * (3 + 10) * 21);
    EXPECT_EQ(parts.at("decoder states"), 2.0 * (2 * 6) * 7 * 21);
    EXPECT_EQ(parts.at("attention"), 2.0 * (2 * 6) * 7 * 11 + 2.0 * (2 * 6 * 4) * 11 + 2.0 * (2 * 6 * 4) * 10);
    EXPECT_EQ(parts.at("readout"), 2.0 * (2 * 6) * (7 + 3 + 10) * 13);
    EXPECT_EQ(parts.at("output"), 2.0 * 10 * 13 * 17);
    EXPECT_EQ(parts.size(), 10U);
}

TEST(Work, OfLuongsModelByHand) {
    ModelConfig config = default_config();
    config.encoder.cell = CellType::lstm;
    config.decoder.cell = CellType::lstm;
    config.encoder.bidirectional = false;
    config.encoder.layers = 2;
    config.decoder.layers = 2;
    config.decoder.attend = AttendWhen::after;
    config.decoder.initial_state = InitialState::copy;
    config.attention.type = AttentionType::general;
    const auto parts = by_name(work_of(config));
    EXPECT_EQ(parts.at("encoder inputs"), 2.0 * (2 * 4) * (3 + 5) * 20);
    EXPECT_EQ(parts.at("encoder states"), 2.0 * (2 * 4) * (5 + 5) * 20);
    EXPECT_EQ(parts.at("keys"), 2.0 * (2 * 4) * 5 * 7);
    EXPECT_EQ(parts.at("first state"), 0.0);
    EXPECT_EQ(parts.at("decoder inputs"), 2.0 * (2 * 6) * (3 + 13 + 7) * 28);  // word, fed readout, lower layer
    EXPECT_EQ(parts.at("decoder states"), 2.0 * (2 * 6) * (7 + 7) * 28);
    EXPECT_EQ(parts.at("attention"), 2.0 * (2 * 6 * 4) * (7 + 5));
    EXPECT_EQ(parts.at("readout"), 2.0 * (2 * 6) * (7 + 5) * 13);
}

TEST(Work, OfATransformerByHand) {
    ModelConfig config = default_config();
    config.encoder.type = EncoderType::transformer;
    config.encoder.layers = 2;
    config.encoder.hidden_size = 8;
    config.decoder.type = DecoderType::transformer;
    config.decoder.hidden_size = 12;
    config.transformer.heads = 4;
    config.transformer.groups = 2;
    config.transformer.feed_forward_size = 9;
    config.transformer.activation = Activation::swiglu;
    const auto parts = by_name(work_of(config));
    EXPECT_EQ(parts.at("encoder inputs"), 2.0 * (2 * 4) * 3 * 8);
    // Query, key, value, output; then scores and means over the positions.
    EXPECT_EQ(parts.at("self-attention"),
              2 * (2.0 * (2 * 4) * (8 * 8 + 4 * 8 + 4 * 8 + 8 * 8) + 4.0 * (2 * 4 * 4) * 8));
    EXPECT_EQ(parts.at("encoder feed-forward"), 2 * (2.0 * (2 * 4) * 3 * 8 * 9));
    EXPECT_EQ(parts.at("keys"), 2.0 * (2 * 4) * (6 * 8 + 6 * 8));
    EXPECT_EQ(parts.at("decoder inputs"), 2.0 * (2 * 6) * 3 * 12);
    // A position sees itself and those before it: 1 + 2 + ... + 6.
    EXPECT_EQ(parts.at("decoder self-attention"),
              2.0 * (2 * 6) * (12 * 12 + 6 * 12 + 6 * 12 + 12 * 12) + 4.0 * (2 * 21) * 12);
    EXPECT_EQ(parts.at("attention"), 2.0 * (2 * 6) * (12 * 12 + 12 * 12) + 4.0 * (2 * 6 * 4) * 12);
    EXPECT_EQ(parts.at("decoder feed-forward"), 2.0 * (2 * 6) * 3 * 12 * 9);
    EXPECT_EQ(parts.at("output"), 2.0 * 10 * 12 * 17);
    EXPECT_EQ(parts.size(), 9U);
}

TEST(Work, OfConvolutionsByHand) {
    ModelConfig config = default_config();
    config.encoder.type = EncoderType::convolutional;
    config.encoder.layers = 3;
    config.encoder.kernel_size = 5;
    const auto parts = by_name(work_of(config));
    EXPECT_EQ(parts.at("encoder inputs"), 2.0 * (2 * 4) * 3 * 5);
    EXPECT_EQ(parts.at("convolutions"), 3 * 2.0 * (2 * 4) * (5 * 5) * (2 * 5));
    EXPECT_EQ(parts.at("keys"), 2.0 * (2 * 4) * 5 * 11);
}

TEST(Work, AddUpByPart) {
    std::vector<PartWork> sum;
    const auto once = work_of(default_config());
    add_work(sum, once);
    add_work(sum, once);
    EXPECT_EQ(forward_sum(sum), 2.0 * forward_sum(once));
    EXPECT_EQ(by_name(sum).at("readout"), 2.0 * by_name(once).at("readout"));
}

TEST(BatchShapes, OfABatchAndOfItsSentences) {
    Batch batch;
    batch.sentences = 2;
    batch.source_width = 4;
    batch.target_width = 6;
    batch.source_lengths = {4, 3};
    batch.target_lengths = {6, 2};
    const BatchShape whole = shape_of(batch);
    EXPECT_EQ(whole.rows, 2);
    EXPECT_EQ(whole.source, 4);
    EXPECT_EQ(whole.target, 6);
    EXPECT_EQ(whole.outputs, 8);
    const std::vector<BatchShape> alone = sentences_of(batch);
    ASSERT_EQ(alone.size(), 2U);
    EXPECT_EQ(alone[1].rows, 1);
    EXPECT_EQ(alone[1].source, 3);
    EXPECT_EQ(alone[1].target, 2);
    EXPECT_EQ(alone[1].outputs, 2);
}

// Adds up the products that ATen runs in this thread.
class Recorder {
public:
    Recorder() {
        seen = 0.0;
        handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&note).needsInputs(true));
    }
    ~Recorder() { at::removeCallback(handle_); }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    static double sum() { return seen; }

private:
    static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
        const std::string name = function.name();
        const std::size_t left = name == "aten::addmm" || name == "aten::baddbmm" ? 1 : 0;
        if (left == 1 || name == "aten::mm" || name == "aten::bmm" || name == "aten::mv") {
            const at::Tensor& a = function.inputs()[left].toTensor();
            const at::Tensor& b = function.inputs()[left + 1].toTensor();
            const double columns = b.dim() == 1 ? 1.0 : static_cast<double>(b.size(-1));
            seen += 2.0 * static_cast<double>(a.numel()) * columns;
        }
        return nullptr;
    }

    static thread_local double seen;
    at::CallbackHandle handle_;
};
thread_local double Recorder::seen = 0.0;

// Flash attention hides its products.
bool is_hidden(const ModelConfig& config) {
    const auto type = config.attention.type;
    const bool heads = type == AttentionType::scaled_dot || type == AttentionType::multi_head ||
                       type == AttentionType::multi_query || type == AttentionType::grouped_query;
    const bool transforms =
        config.encoder.type == EncoderType::transformer || config.decoder.type == DecoderType::transformer;
    return transforms || heads || config.encoder.self_attention.layers > 0;
}

// So do our kernels for recurrent units; the one that they do not serve stands in for the others.
ModelConfig with_plain_units(ModelConfig config) {
    config.encoder.cell = CellType::lstm;
    config.decoder.cell = CellType::lstm;
    config.layer_norm = true;
    config.decoder.layer_norm = true;
    return config;
}

// The product of tanh(q + k) and v, a part of the fused scores.
double inside_scores(const ModelConfig& config, const BatchShape& on) {
    const auto type = config.attention.type;
    const bool local = type == AttentionType::local_m || type == AttentionType::local_p;
    const bool scored =
        type == AttentionType::additive || type == AttentionType::concat ||
        (local && (config.attention.score == ScoreType::additive || config.attention.score == ScoreType::concat));
    return scored && config.decoder.attend != AttendWhen::never
               ? 2.0 * static_cast<double>(on.rows * on.target * on.source * config.attention.size)
               : 0.0;
}

// Sentences of one length: what is not computed for padding is not at issue here.
TensorBatch even_batch() {
    return make_tensors({{{4, 5, 6}, {7, 8}}, {{8, 7, 4}, {5, 6}}, {{5, 5, 8}, {4, 4}}});
}

TEST(Work, AreThoseThatEveryVariantRuns) {
    const TensorBatch batch = even_batch();
    const BatchShape on{batch.source.sentences(), batch.source.width(), batch.target_in.size(1),
                        std::accumulate(batch.target_lengths.begin(), batch.target_lengths.end(), std::int64_t{0})};
    int compared = 0;
    for (const VariantGroup& group : variant_groups()) {
        for (const Variant& variant : group.variants) {
            if (is_hidden(variant.config)) {
                continue;
            }
            SCOPED_TRACE(group.name + ": " + variant.name);
            const auto model = random_model(with_plain_units(variant.config), 1);
            const Recorder recorder;
            model->loss(batch, 0.0, plain_execution);
            const auto parts = model->work(on);
            // The output layer computes its gradients with the loss: that of its input by a product that is seen here,
            // that of its weight by one in place, which is not.
            const double counted = forward_sum(parts) + by_name(parts).at("output");
            EXPECT_EQ(Recorder::sum() + inside_scores(variant.config, on), counted);
            ++compared;
        }
    }
    EXPECT_GT(compared, 120);
}

// Grids of unequal sizes, of which the convolutions make equal ones.
TEST(Work, AreThoseOfConvolutionsOverGrids) {
    ModelConfig config = with_plain_units(default_config());
    config.source.size = 2;
    config.source.convolutions.channels = {3, 4};
    config.source.join_rows = 2;
    std::vector<Example> examples;
    for (const Grid& grid : {Grid{7, 9}, Grid{5, 12}}) {
        Example example{0, {}, {4, 5}};
        example.features = {grid, 2, std::vector<float>(static_cast<std::size_t>(grid.positions()) * 2, 0.5F)};
        examples.push_back(example);
    }
    const Batch batch = make_batch(examples, SpecialIdPair{});
    const auto model = random_model(config, 1);
    const auto parts = model->work(shape_of(batch));
    const double first = 2.0 * (4 * 5 + 3 * 6) * (9 * 2 * 3);
    const double second = 2.0 * (2 * 3 + 2 * 3) * (9 * 3 * 4);
    EXPECT_EQ(by_name(parts).at("source convolutions"), first + second);
    EXPECT_EQ(by_name(parts).at("features"), 2.0 * (3 + 3) * (2 * 4 * 3));
    double alone = 0.0;
    for (const BatchShape& sentence : sentences_of(batch)) {
        alone += forward_sum(model->work(sentence));
    }
    EXPECT_EQ(alone, forward_sum(parts));
    const BatchShape seen{2, 3, 3, 6};
    const Recorder recorder;
    model->loss(to_tensors(batch, at::kCPU), 0.0, plain_execution);
    EXPECT_EQ(Recorder::sum() + inside_scores(config, seen), forward_sum(parts) + by_name(parts).at("output"));
}

TEST(Work, TheBackwardPassHasTwiceTheProducts) {
    ModelConfig config = with_plain_units(default_config());
    config.attention.type = AttentionType::general;
    const TensorBatch batch = even_batch();
    const auto model = random_model(config, 1);
    const Loss loss = model->loss(batch, 0.0, plain_execution);
    const BatchShape on{batch.source.sentences(), batch.source.width(), batch.target_in.size(1), loss.tokens};
    const Recorder recorder;
    loss.objective.backward();
    const auto parts = model->work(on);
    // The output layer has computed its gradients with the loss.
    const double expected = backward_per_forward * (forward_sum(parts) - by_name(parts).at("output"));
    // The states before the first step have no gradient, so some products of those steps are not made.
    const double first_steps = 2.0 * static_cast<double>(on.rows) * 2.0 * 5.0 * 20.0;
    EXPECT_EQ(Recorder::sum() + first_steps, expected);
}

}  // namespace
}  // namespace softalign
