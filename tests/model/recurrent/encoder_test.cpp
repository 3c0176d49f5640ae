#include "model/recurrent/encoder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/fixtures.h"
#include "ops/execution.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

ModelConfig encoder_config(CellType cell, std::int64_t layers, bool bidirectional, bool residual = false) {
    ModelConfig config;
    config.embedding_size = 3;
    config.encoder.cell = cell;
    config.encoder.layers = layers;
    config.encoder.hidden_size = 2;
    config.encoder.bidirectional = bidirectional;
    config.encoder.residual = residual;
    return config;
}

struct RandomEncoder : RecurrentEncoder {
    explicit RandomEncoder(const ModelConfig& config) : RecurrentEncoder(config) {
        to(at::kDouble);
        randomize(*this, 31);
    }
};

const std::vector<std::int64_t> lengths = {4, 1, 6, 3};

struct Input {
    at::Tensor embedded = at::randn({4, 8, 3}, at::kDouble);  // two columns wider than need be
    SourceBatch batch() const { return {embedded, lengths}; }
};

// One sentence without padding: features [S,E].
SourceBatch alone_in_batch(const at::Tensor& words) {
    return {words.unsqueeze(0), {words.size(0)}};
}

TEST(Encoder, PaddedRowsAreTheSentencesAlone) {
    const at::NoGradGuard no_grad;
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        for (const std::int64_t layers : {1, 2}) {
            for (const bool bidirectional : {false, true}) {
                const RandomEncoder encoder(encoder_config(cell, layers, bidirectional, layers > 1));
                const Input input;
                const Encoded batch = encoder.encode(input.batch(), plain_execution);
                for (std::int64_t row = 0; row < 4; ++row) {
                    const std::int64_t length = lengths[static_cast<std::size_t>(row)];
                    const Encoded alone =
                        encoder.encode(alone_in_batch(input.embedded[row].narrow(0, 0, length)), plain_execution);
                    EXPECT_LE(largest_difference(batch.annotations[row].narrow(0, 0, length), alone.annotations[0]),
                              1e-14);
                    EXPECT_LE(largest_difference(batch.summary.last[row], alone.summary.last[0]), 1e-14);
                    EXPECT_LE(largest_difference(batch.summary.mean[row], alone.summary.mean[0]), 1e-14);
                    EXPECT_TRUE(batch.annotations[row].narrow(0, length, 8 - length).eq(0.0).all().item<bool>());
                }
            }
        }
    }
}

TEST(Encoder, KeepsTheGridsOfItsSource) {
    const at::NoGradGuard no_grad;
    const RandomEncoder encoder(encoder_config(CellType::gru, 1, true));
    const std::vector<Grid> grids = {{2, 2}, {1, 1}, {2, 3}, {3, 1}};
    SourceBatch source = Input().batch();
    EXPECT_TRUE(encoder.encode(source, plain_execution).grids.empty());
    source.grids = grids;
    EXPECT_EQ(encoder.encode(source, plain_execution).grids, grids);
}

TEST(Encoder, LastAndMeanAreThoseOfTheAnnotations) {
    const at::NoGradGuard no_grad;
    const RandomEncoder encoder(encoder_config(CellType::gru, 1, true));
    const Input input;
    const Encoded output = encoder.encode(input.batch(), plain_execution);
    EXPECT_EQ(encoder.annotation_size(), 4);
    for (std::int64_t row = 0; row < 4; ++row) {
        const std::int64_t length = lengths[static_cast<std::size_t>(row)];
        const at::Tensor tokens = output.annotations[row].narrow(0, 0, length);
        EXPECT_TRUE(output.summary.last[row].narrow(0, 0, 2).equal(tokens[length - 1].narrow(0, 0, 2)));
        EXPECT_TRUE(output.summary.last[row].narrow(0, 2, 2).equal(tokens[0].narrow(0, 2, 2)));
        EXPECT_LE(largest_difference(output.summary.mean[row], tokens.mean(0)), 1e-15);
    }
}

// The cell run by hand over one unpadded sentence, first to last or last to first.
at::Tensor unroll(const RecurrentCell& cell, const at::Tensor& words, bool reverse, const at::Tensor& drop) {
    const std::int64_t length = words.size(0);
    RecurrentState state = cell.zero_state(1);
    std::vector<at::Tensor> states(static_cast<std::size_t>(length));
    for (std::int64_t step = 0; step < length; ++step) {
        const std::int64_t t = reverse ? length - 1 - step : step;
        state = cell.step(cell.project(words[t].unsqueeze(0), plain_execution), state, drop, plain_execution);
        states[static_cast<std::size_t>(t)] = state.hidden[0];
    }
    return at::stack(states);
}

CellShape shape_of(const at::Tensor& input_weight, const at::Tensor& state_weight) {
    CellShape shape;
    shape.type = state_weight.size(0) == 4 * state_weight.size(1) ? CellType::lstm : CellType::gru;
    shape.input_size = input_weight.size(1);
    shape.hidden_size = state_weight.size(1);
    return shape;
}

// A cell with the parameters of an encoder's.
struct CellOf : RecurrentCell {
    CellOf(const RecurrentEncoder& encoder, const std::string& name) : CellOf(encoder.named_parameters(), name + ".") {}

    CellOf(const NamedParameters& all, const std::string& prefix)
        : RecurrentCell(shape_of(all[prefix + "weight_ih"], all[prefix + "weight_hh"])) {
        to(at::kDouble);
        for (auto& item : named_parameters()) {
            item.value().copy_(all[prefix + item.key()]);
        }
    }
};

TEST(Encoder, BackwardDirectionStartsAtTheLastTrueToken) {
    const at::NoGradGuard no_grad;
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        const RandomEncoder encoder(encoder_config(cell, 1, true));
        const Input input;
        const Encoded output = encoder.encode(input.batch(), plain_execution);
        for (std::int64_t row = 0; row < 4; ++row) {
            const std::int64_t length = lengths[static_cast<std::size_t>(row)];
            const at::Tensor words = input.embedded[row].narrow(0, 0, length);
            const at::Tensor expected = at::cat({unroll(CellOf(encoder, "layer0_forward"), words, false, at::Tensor()),
                                                 unroll(CellOf(encoder, "layer0_backward"), words, true, at::Tensor())},
                                                1);
            EXPECT_LE(largest_difference(output.annotations[row].narrow(0, 0, length), expected), 1e-14);
        }
    }
}

TEST(Encoder, SecondLayerReadsBothDirectionsAndResidualAddsItsInput) {
    const at::NoGradGuard no_grad;
    const RandomEncoder residual(encoder_config(CellType::gru, 2, true, true));
    const at::Tensor words = at::randn({5, 3}, at::kDouble);
    const Encoded output = residual.encode(alone_in_batch(words), plain_execution);
    const auto layer = [&](const std::string& name, const at::Tensor& x) {
        return at::cat({unroll(CellOf(residual, name + "_forward"), x, false, at::Tensor()),
                        unroll(CellOf(residual, name + "_backward"), x, true, at::Tensor())},
                       1);
    };
    const at::Tensor lower = layer("layer0", words);
    const at::Tensor upper = layer("layer1", lower);
    EXPECT_LE(largest_difference(output.annotations[0], lower + upper), 1e-14);
    EXPECT_LE(largest_difference(output.summary.last[0], at::cat({upper[4].narrow(0, 0, 2), upper[0].narrow(0, 2, 2)})),
              1e-14);
}

// A reversed source is the sentence with its words turned round, the end of sentence still last, and the annotations
// turned back.
TEST(Encoder, ReversedSourceIsReadBackwardsAndWrittenForwards) {
    const at::NoGradGuard no_grad;
    for (const bool bidirectional : {false, true}) {
        ModelConfig config = encoder_config(CellType::gru, 2, bidirectional);
        const RandomEncoder plain(config);
        config.encoder.reverse_source = true;
        const RandomEncoder reversing(config);
        const Input input;
        const Encoded output = reversing.encode(input.batch(), plain_execution);
        for (std::int64_t row = 0; row < 4; ++row) {
            const std::int64_t length = lengths[static_cast<std::size_t>(row)];
            std::vector<std::int64_t> order;
            for (std::int64_t j = 0; j + 1 < length; ++j) {
                order.push_back(length - 2 - j);
            }
            order.push_back(length - 1);
            const at::Tensor places = at::tensor(order, at::kLong);
            const Encoded turned =
                plain.encode(alone_in_batch(input.embedded[row].index_select(0, places)), plain_execution);
            EXPECT_LE(largest_difference(output.annotations[row].narrow(0, 0, length),
                                         turned.annotations[0].index_select(0, places)),
                      1e-14);
            EXPECT_LE(largest_difference(output.summary.last[row], turned.summary.last[0]), 1e-14);
            EXPECT_TRUE(output.annotations[row].narrow(0, length, 8 - length).eq(0.0).all().item<bool>());
        }
    }
}

TEST(Encoder, FinalStatesAreThoseOfTheForwardDirection) {
    const at::NoGradGuard no_grad;
    const RandomEncoder encoder(encoder_config(CellType::lstm, 2, false));
    const Input input;
    const Encoded output = encoder.encode(input.batch(), plain_execution);
    ASSERT_EQ(output.summary.hidden.size(), 2U);
    EXPECT_TRUE(output.summary.hidden[1].equal(output.summary.last));
    EXPECT_EQ(output.summary.cell[0].sizes(), output.summary.last.sizes());
}

TEST(Encoder, SelfAttentionComesAfterTheLayersAndPaddingStaysZero) {
    const at::NoGradGuard no_grad;
    ModelConfig config = encoder_config(CellType::gru, 1, true);
    config.encoder.self_attention.layers = 2;
    config.encoder.self_attention.heads = 2;
    const RandomEncoder encoder(config);
    const Input input;
    const Encoded batch = encoder.encode(input.batch(), plain_execution);
    for (std::int64_t row = 0; row < 4; ++row) {
        const std::int64_t length = lengths[static_cast<std::size_t>(row)];
        const Encoded alone = encoder.encode(alone_in_batch(input.embedded[row].narrow(0, 0, length)), plain_execution);
        EXPECT_LE(largest_difference(batch.annotations[row].narrow(0, 0, length), alone.annotations[0]), 1e-13);
        EXPECT_LE(largest_difference(batch.summary.mean[row], alone.annotations[0].mean(0)), 1e-13);
        EXPECT_TRUE(batch.annotations[row].narrow(0, length, 8 - length).eq(0.0).all().item<bool>());
    }
}

TEST(Encoder, RecurrentDropoutIsOneMaskASequence) {
    const at::NoGradGuard no_grad;
    ModelConfig config = encoder_config(CellType::lstm, 1, true);
    config.encoder.hidden_size = 16;
    config.dropout.recurrent = 0.4;
    const RandomEncoder encoder(config);
    const at::Tensor words = at::randn({5, 3}, at::kDouble);
    Noise noise(41);
    const Encoded output = encoder.encode(alone_in_batch(words), Execution(nullptr, &noise));
    Noise same(41);
    const at::Tensor ahead = same.mask({1, 16}, 0.4, at::kDouble);
    const at::Tensor back = same.mask({1, 16}, 0.4, at::kDouble);
    const at::Tensor expected = at::cat({unroll(CellOf(encoder, "layer0_forward"), words, false, ahead),
                                         unroll(CellOf(encoder, "layer0_backward"), words, true, back)},
                                        1);
    EXPECT_LE(largest_difference(output.annotations[0], expected), 1e-14);
}

TEST(Encoder, ContextDropoutTouchesTheAnnotationsAndTheirMean) {
    const at::NoGradGuard no_grad;
    ModelConfig config = encoder_config(CellType::gru, 1, true);
    config.dropout.context = 0.5;
    const RandomEncoder encoder(config);
    const Input input;
    Noise noise(42);
    const Encoded noisy = encoder.encode(input.batch(), Execution(nullptr, &noise));
    const Encoded clean = encoder.encode(input.batch(), plain_execution);
    EXPECT_TRUE(noisy.annotations.equal(clean.annotations * Noise(42).mask({4, 8, 4}, 0.5, at::kDouble)));
    EXPECT_TRUE(noisy.summary.last.equal(clean.summary.last));
    EXPECT_FALSE(noisy.summary.mean.equal(clean.summary.mean));
    for (std::int64_t row = 0; row < 4; ++row) {
        const std::int64_t length = noisy.lengths[static_cast<std::size_t>(row)];
        EXPECT_LE(largest_difference(noisy.summary.mean[row], noisy.annotations[row].narrow(0, 0, length).mean(0)),
                  1e-15);
    }
}

}  // namespace
}  // namespace softalign
