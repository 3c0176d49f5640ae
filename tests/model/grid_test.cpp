#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/encoder.h"
#include "model/fixtures.h"
#include "model/stack_input.h"
#include "ops/packed_rows.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

const std::vector<Grid> sample_grids = {{2, 3}, {1, 4}, {3, 1}, {2, 2}, {1, 1}};

// Grids of random features of width `depth`, in a rectangle two columns wider than need be.
SourceBatch random_grids(const std::vector<Grid>& grids, std::int64_t depth) {
    SourceBatch source;
    std::int64_t width = 0;
    for (const Grid& grid : grids) {
        source.lengths.push_back(grid.positions());
        width = std::max(width, grid.positions());
    }
    source.values = at::randn({static_cast<std::int64_t>(grids.size()), width + 2, depth}, at::kDouble);
    source.grids = grids;
    return source;
}

// The grid of one row of a batch, without padding.
SourceBatch grid_alone(const SourceBatch& source, std::size_t row) {
    const auto index = static_cast<std::int64_t>(row);
    return {source.values.narrow(0, index, 1).narrow(1, 0, source.lengths[row]),
            {source.lengths[row]},
            {source.grids[row]}};
}

ModelConfig grid_config(EncoderType type) {
    ModelConfig config;
    config.embedding_size = 4;
    config.encoder.type = type;
    config.encoder.layers = 2;
    config.encoder.hidden_size = 6;
    config.transformer.heads = 2;
    config.transformer.feed_forward_size = 5;
    config.positions.size = 3;
    return config;
}

// Every type, the recurrent one in one direction and in two and under self-attention, with both kinds of positions.
std::vector<Variant> grid_encoders() {
    std::vector<Variant> all = {{"none", grid_config(EncoderType::none)},
                                {"recurrent", grid_config(EncoderType::recurrent)},
                                {"ahead", grid_config(EncoderType::recurrent)},
                                {"self_attention", grid_config(EncoderType::recurrent)},
                                {"transformer", grid_config(EncoderType::transformer)},
                                {"transformer learned", grid_config(EncoderType::transformer)},
                                {"convolutional", grid_config(EncoderType::convolutional)},
                                {"convolutional learned", grid_config(EncoderType::convolutional)}};
    all[2].config.encoder.bidirectional = false;
    all[2].config.encoder.cell = CellType::lstm;
    all[3].config.encoder.self_attention.layers = 1;
    all[3].config.encoder.self_attention.heads = 2;
    all[5].config.positions.type = PositionType::learned;
    all[7].config.positions.type = PositionType::learned;
    return all;
}

std::shared_ptr<Encoder> random_encoder_of(const ModelConfig& config) {
    std::shared_ptr<Encoder> encoder = make_encoder(config);
    encoder->to(at::kDouble);
    randomize(*encoder, 71);
    return encoder;
}

TEST(GridEncoders, PaddingAndTheOrderOfABatchChangeNothing) {
    const at::NoGradGuard no_grad;
    for (const Variant& variant : grid_encoders()) {
        const auto encoder = random_encoder_of(variant.config);
        const SourceBatch source = random_grids(sample_grids, 4);
        const Encoded batch = encoder->encode(source, plain_execution);
        EXPECT_EQ(batch.grids, sample_grids);
        ASSERT_EQ(batch.annotations.size(2), encoder->annotation_size());
        for (std::size_t row = 0; row < sample_grids.size(); ++row) {
            const auto index = static_cast<std::int64_t>(row);
            const std::int64_t length = source.lengths[row];
            const Encoded alone = encoder->encode(grid_alone(source, row), plain_execution);
            EXPECT_LE(largest_difference(batch.annotations[index].narrow(0, 0, length), alone.annotations[0]), 1e-13)
                << variant.name;
            EXPECT_LE(largest_difference(batch.summary.mean[index], alone.annotations[0].mean(0)), 1e-13)
                << variant.name;
            EXPECT_TRUE(batch.annotations[index].narrow(0, length, source.width() - length).eq(0.0).all().item<bool>());
            if (alone.summary.last.defined()) {
                EXPECT_LE(largest_difference(batch.summary.last[index], alone.summary.last[0]), 1e-13) << variant.name;
            }
        }
    }
}

TEST(GridEncoders, AGridOfOneRowIsASequence) {
    const at::NoGradGuard no_grad;
    for (const Variant& variant : grid_encoders()) {
        const auto encoder = random_encoder_of(variant.config);
        SourceBatch source = random_grids({{1, 5}, {1, 2}}, 4);
        const at::Tensor as_grid = encoder->encode(source, plain_execution).annotations;
        source.grids.clear();
        EXPECT_TRUE(as_grid.equal(encoder->encode(source, plain_execution).annotations)) << variant.name;
    }
}

TEST(GridEncoders, GradientsAreThoseOfFiniteDifferences) {
    for (const Variant& variant : grid_encoders()) {
        const auto encoder = random_encoder_of(variant.config);
        SourceBatch source = random_grids(sample_grids, 4);
        source.values.requires_grad_(true);
        const at::Tensor of_annotations = at::randn({5, source.width(), encoder->annotation_size()}, at::kDouble);
        const at::Tensor of_mean = at::randn({5, encoder->annotation_size()}, at::kDouble);
        const auto scalar = [&] {
            const Encoded encoded = encoder->encode(source, plain_execution);
            const at::Tensor sum =
                (encoded.annotations * of_annotations).sum() + (encoded.summary.mean * of_mean).sum();
            return encoded.summary.last.defined() ? sum + encoded.summary.last.square().sum() : sum;
        };
        std::string worst;
        EXPECT_LE(directional_error(scalar, *encoder, &worst), 1e-6) << variant.name << " " << worst;
        source.values.mutable_grad() = at::Tensor();
        scalar().backward();
        const at::Tensor analytic = source.values.grad().clone();
        const at::Tensor direction = at::randn_like(analytic);
        EXPECT_LE(relative_error(central_difference(scalar, source.values, direction, 1e-6),
                                 (analytic * direction).sum().item<double>()),
                  1e-6)
            << variant.name;
    }
}

TEST(GridEncoders, RecurrentOnesReadEachRowAsASequence) {
    const at::NoGradGuard no_grad;
    for (const bool bidirectional : {false, true}) {
        ModelConfig config = grid_config(EncoderType::recurrent);
        config.encoder.bidirectional = bidirectional;
        config.encoder.residual = true;
        const auto encoder = random_encoder_of(config);
        const SourceBatch source = random_grids(sample_grids, 4);
        const Encoded batch = encoder->encode(source, plain_execution);
        for (std::size_t row = 0; row < sample_grids.size(); ++row) {
            const auto index = static_cast<std::int64_t>(row);
            const Grid grid = sample_grids[row];
            for (std::int64_t line = 0; line < grid.height; ++line) {
                const at::Tensor words = source.values[index].narrow(0, line * grid.width, grid.width);
                const Encoded alone = encoder->encode({words.unsqueeze(0), {grid.width}}, plain_execution);
                EXPECT_LE(largest_difference(batch.annotations[index].narrow(0, line * grid.width, grid.width),
                                             alone.annotations[0]),
                          1e-13);
                if (line + 1 == grid.height) {
                    EXPECT_LE(largest_difference(batch.summary.last[index], alone.summary.last[0]), 1e-13);
                    EXPECT_LE(largest_difference(batch.summary.hidden[1][index], alone.summary.hidden[1][0]), 1e-13);
                }
            }
        }
    }
}

TEST(GridEncoders, ConvolutionsOverWordsStayInsideARow) {
    const at::NoGradGuard no_grad;
    ModelConfig config = grid_config(EncoderType::convolutional);
    config.encoder.layers = 1;
    const auto encoder = random_encoder_of(config);
    SourceBatch source = random_grids({{2, 3}}, 4);
    const at::Tensor before = encoder->encode(source, plain_execution).annotations.clone();
    source.values[0][2] += 1.0;  // the last position of the first row
    const at::Tensor change = (encoder->encode(source, plain_execution).annotations - before)[0].abs().sum(1);
    for (const std::int64_t same : {0, 3, 4, 5}) {
        EXPECT_EQ(change[same].item<double>(), 0.0) << same;
    }
    EXPECT_GT(change[1].item<double>(), 0.0);
    EXPECT_GT(change[2].item<double>(), 0.0);
}

// PE(p)_i of a given width by the formula.
double sinusoid(std::int64_t position, std::int64_t element, std::int64_t width) {
    const auto pair = static_cast<double>(element / 2 * 2);
    const double angle = static_cast<double>(position) / std::pow(10000.0, pair / static_cast<double>(width));
    return element % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

TEST(GridPositions, SinusoidsAreOfTheRowThenOfTheColumn) {
    constexpr std::int64_t size = 7;  // 3 of the row, 4 of the column
    const std::vector<std::int64_t> lengths = {6, 4};
    const std::vector<Grid> grids = {{2, 3}, {1, 4}};
    const at::Tensor table = grid_sinusoids(sentence_rows(lengths, 6, at::kCPU), grids, size, at::kDouble);
    ASSERT_EQ(table.sizes(), at::IntArrayRef({10, size}));
    for (std::int64_t p = 0; p < 10; ++p) {
        for (std::int64_t i = 0; i < size; ++i) {
            const double expected = p >= 6  ? sinusoid(p - 6, i, size)
                                    : i < 3 ? sinusoid(p / 3, i, 3)
                                            : sinusoid(p % 3, i - 3, 4);
            EXPECT_NEAR(table[p][i].item<double>(), expected, 1e-14) << p << " " << i;
        }
    }
}

TEST(GridPositions, LearnedOnesAreHalvesOfTheRowsOfTheTable) {
    ModelConfig config = grid_config(EncoderType::transformer);
    config.positions.type = PositionType::learned;  // of 3 positions
    config.embedding_size = 5;
    at::Tensor table;
    const StackInput input(config, 5, [&](const std::string& name, at::IntArrayRef sizes, Role) {
        EXPECT_EQ(name, "positions");
        table = at::randn(sizes, at::kDouble);
        return table;
    });
    const std::vector<Grid> grids = {{5, 4}, {1, 2}};
    const SentenceRows rows = sentence_rows({20, 2}, 20, at::kCPU);
    const at::Tensor x = input(at::zeros({22, 5}, at::kDouble), rows, grids, plain_execution);
    for (std::int64_t p = 0; p < 20; ++p) {
        EXPECT_TRUE(x[p].narrow(0, 0, 2).equal(table[std::min<std::int64_t>(p / 4, 2)].narrow(0, 0, 2)));
        EXPECT_TRUE(x[p].narrow(0, 2, 3).equal(table[std::min<std::int64_t>(p % 4, 2)].narrow(0, 2, 3)));
    }
    EXPECT_TRUE(x[21].equal(table[1]));
}

}  // namespace
}  // namespace softalign
