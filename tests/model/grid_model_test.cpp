// Whole models whose source is a grid of features, with convolutions in front and without.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

// Needs torch/types.h, which it does not include.
#include <torch/optim/adam.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "fixtures.h"
#include "model/convolutional/grid_convolutions.h"
#include "model/source/source.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

SourceConfig convolutional_source() {
    SourceConfig source;
    source.size = 2;
    source.convolutions.channels = {3, 4};
    source.convolutions.row_strides = {2, 1};
    source.convolutions.column_strides = {1, 2};
    return source;
}

ModelConfig grid_model_config(EncoderType encoder, DecoderType decoder) {
    ModelConfig config;
    config.source.size = 2;
    config.embedding_size = 6;
    config.encoder.type = encoder;
    config.encoder.hidden_size = encoder == EncoderType::recurrent ? 3 : 6;
    config.decoder.type = decoder;
    config.decoder.hidden_size = 6;
    config.attention.size = 4;
    config.attention.window = 2;
    config.positions.size = 3;
    config.transformer.heads = 2;
    config.transformer.feed_forward_size = 5;
    return config;
}

Example grid_example(const Grid& grid, const std::vector<std::int32_t>& target, std::int64_t depth, Random& random) {
    Example example;
    example.target = target;
    example.features = {grid, depth, {}};
    for (std::int64_t i = 0; i < grid.positions() * depth; ++i) {
        example.features.values.push_back(static_cast<float>(random.uniform()) - 0.5F);
    }
    return example;
}

std::vector<Example> grid_examples() {
    Random random(17);
    return {grid_example({4, 3}, {5, 4, 7}, 2, random), grid_example({1, 1}, {6}, 2, random),
            grid_example({3, 6}, {8, 4}, 2, random), grid_example({1, 5}, {}, 2, random)};
}

TensorBatch grid_batch(const std::vector<Example>& examples) {
    return to_tensors(make_batch(examples, SpecialIdPair{}), at::kCPU);
}

// Every attention under a recurrent decoder; every encoder under both decoders, after convolutions too.
std::vector<Variant> grid_models() {
    std::vector<Variant> all;
    for (const NamedAttention& attention : all_attentions()) {
        ModelConfig config = grid_model_config(EncoderType::recurrent, DecoderType::recurrent);
        config.attention = attention.config;
        all.push_back({attention.name, config});
    }
    for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
        for (const EncoderType encoder :
             {EncoderType::none, EncoderType::recurrent, EncoderType::transformer, EncoderType::convolutional}) {
            ModelConfig config = grid_model_config(encoder, decoder);
            const std::string name =
                std::to_string(static_cast<int>(encoder)) + " under " + std::to_string(static_cast<int>(decoder));
            all.push_back({name, config});
            config.source = convolutional_source();
            config.positions.type = PositionType::learned;
            all.push_back({name + " convolutions", config});
            config.source.join_rows = 2;
            config.source.convolutions.layer_norm = true;
            all.push_back({name + " joined", config});
        }
    }
    return all;
}

TEST(GridModels, GradientsAreThoseOfFiniteDifferences) {
    const TensorBatch batch = grid_batch(grid_examples());
    for (const Variant& variant : grid_models()) {
        const auto model = random_model(variant.config, 21);
        std::string worst;
        EXPECT_LE(directional_error([&] { return model->loss(batch, 0.1, plain_execution).objective; }, *model, &worst),
                  2e-6)
            << variant.name << " " << worst;
    }
}

TEST(GridModels, ABatchIsTheSumOfItsPicturesInAnyOrder) {
    const at::NoGradGuard no_grad;
    for (const Variant& variant : grid_models()) {
        const auto model = random_model(variant.config, 22);
        const auto loss = [&](const std::vector<Example>& examples) {
            return model->loss(grid_batch(examples), 0.0, plain_execution).objective.item<double>();
        };
        std::vector<Example> examples = grid_examples();
        double sum = 0.0;
        for (const Example& example : examples) {
            sum += loss({example});
        }
        EXPECT_NEAR(loss(examples), sum, 1e-11) << variant.name;
        std::reverse(examples.begin(), examples.end());
        EXPECT_NEAR(loss(examples), sum, 1e-11) << variant.name;
    }
}

TEST(GridModels, AttentionIsOverTheGridThatIsLeft) {
    const at::NoGradGuard no_grad;
    const TensorBatch batch = grid_batch(grid_examples());
    for (const Variant& variant : grid_models()) {
        const auto model = random_model(variant.config, 23);
        const Encoded encoded = model->encode(batch.source, plain_execution);
        for (std::size_t row = 0; row < encoded.grids.size(); ++row) {
            EXPECT_EQ(encoded.grids[row], model->annotation_grid(batch.source.grids[row])) << variant.name;
            EXPECT_EQ(encoded.lengths[row], encoded.grids[row].positions()) << variant.name;
        }
        if (!model->has_attention()) {
            continue;
        }
        const at::Tensor weights = model->attention(batch, plain_execution);
        ASSERT_EQ(weights.size(2), encoded.annotations.size(1)) << variant.name;
        const double most = weights[0][0].narrow(0, 0, encoded.lengths[0]).sum().item<double>();
        EXPECT_GT(most, 0.0) << variant.name;
        EXPECT_LE(most, 1.0 + 1e-12) << variant.name;
    }
}

// y[o] = max(0, b + sum of w x) of one layer by loops. x [Y,X,C]; the rest of a joined or strided grid is checked by
// it.
at::Tensor plain_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, std::int64_t k,
                             std::int64_t row_stride, std::int64_t column_stride) {
    const std::int64_t height = (x.size(0) + row_stride - 1) / row_stride;
    const std::int64_t width = (x.size(1) + column_stride - 1) / column_stride;
    const std::int64_t depth = x.size(2);
    at::Tensor result = at::zeros({height, width, weight.size(0)}, at::kDouble);
    const auto in = x.accessor<double, 3>();
    const auto w = weight.accessor<double, 2>();
    const auto b = bias.accessor<double, 1>();
    auto out = result.accessor<double, 3>();
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t column = 0; column < width; ++column) {
            for (std::int64_t o = 0; o < weight.size(0); ++o) {
                double sum = b[o];
                for (std::int64_t i = 0; i < k; ++i) {
                    for (std::int64_t j = 0; j < k; ++j) {
                        const std::int64_t from_y = y * row_stride - (k - row_stride + 1) / 2 + i;
                        const std::int64_t from_x = column * column_stride - (k - column_stride + 1) / 2 + j;
                        if (from_y < 0 || from_y >= x.size(0) || from_x < 0 || from_x >= x.size(1)) {
                            continue;
                        }
                        for (std::int64_t c = 0; c < depth; ++c) {
                            sum += w[o][(i * k + j) * depth + c] * in[from_y][from_x][c];
                        }
                    }
                }
                out[y][column][o] = std::max(sum, 0.0);
            }
        }
    }
    return result;
}

TEST(GridConvolutions, AreThoseOfLoops) {
    const at::NoGradGuard no_grad;
    SourceConfig config = convolutional_source();
    config.join_rows = 2;
    GridConvolutions convolutions(config);
    convolutions.to(at::kDouble);
    randomize(convolutions, 24);
    const auto parameters = convolutions.named_parameters();
    const std::vector<Grid> grids = {{5, 4}, {1, 1}, {4, 7}};
    std::vector<at::Tensor> pictures;
    std::vector<at::Tensor> expected;
    std::vector<at::Tensor> flat;
    for (const Grid& grid : grids) {
        const at::Tensor picture = at::randn({grid.height, grid.width, 2}, at::kDouble);
        flat.push_back(picture.view({-1, 2}));
        at::Tensor y = plain_convolution(picture, parameters["layer0.weight"], parameters["layer0.bias"], 3, 2, 1);
        y = plain_convolution(y, parameters["layer1.weight"], parameters["layer1.bias"], 3, 1, 2);
        const Grid out = convolutions.grid(grid);
        ASSERT_EQ(out.height, (y.size(0) + 1) / 2);
        ASSERT_EQ(out.width, y.size(1));
        const at::Tensor below = y.size(0) % 2 == 0 ? y : at::cat({y, at::zeros_like(y.narrow(0, 0, 1))}, 0);
        for (std::int64_t row = 0; row < out.height; ++row) {
            expected.push_back(at::cat({below[2 * row], below[2 * row + 1]}, 1));
        }
    }
    EXPECT_EQ(convolutions.depth(), 8);
    EXPECT_LE(largest_difference(convolutions.forward(at::cat(flat), grids, plain_execution), at::cat(expected)),
              1e-13);
}

TEST(GridConvolutions, StridesAndJoinedRowsMakeTheGridSmaller) {
    SourceConfig config;
    config.size = 1;
    config.convolutions.channels = {2, 2, 2};
    config.convolutions.row_strides = {2};
    config.convolutions.column_strides = {2, 2, 1};
    EXPECT_EQ(GridConvolutions(config).grid({32, 301}), (Grid{4, 76}));
    config.join_rows = 4;
    EXPECT_EQ(GridConvolutions(config).grid({32, 301}), (Grid{1, 76}));
    EXPECT_EQ(GridConvolutions(config).depth(), 8);
    EXPECT_EQ(GridConvolutions(config).grid({1, 1}), (Grid{1, 1}));
}

TEST(GridModels, OverfitTinyPictures) {
    Random random(31);
    std::vector<Example> examples;
    for (const Grid& grid : {Grid{6, 8}, Grid{4, 6}, Grid{6, 5}, Grid{5, 9}}) {
        std::vector<std::int32_t> target;
        for (std::int64_t i = 0; i < grid.width / 2; ++i) {
            target.push_back(4 + static_cast<std::int32_t>(random.below(6)));
        }
        examples.push_back(grid_example(grid, target, 1, random));
    }
    const TensorBatch batch = grid_batch(examples);
    for (const EncoderType encoder : {EncoderType::recurrent, EncoderType::transformer}) {
        ModelConfig config = grid_model_config(encoder, DecoderType::recurrent);
        config.source = convolutional_source();
        config.source.size = 1;
        config.source.convolutions.channels = {8, 16};
        config.source.convolutions.layer_norm = true;
        config.embedding_size = 16;
        config.encoder.hidden_size = 16;
        config.decoder.hidden_size = 32;
        config.attention.size = 16;
        Seq2Seq model(config, {1, 11});
        model.initialize(32);
        torch::optim::Adam adam(model.parameters(), torch::optim::AdamOptions(0.01));
        double nats = 0.0;
        for (int step = 0; step < 150; ++step) {
            const Loss loss = model.loss(batch, 0.0, plain_execution);
            adam.zero_grad();
            (loss.objective / static_cast<double>(loss.tokens)).backward();
            adam.step();
            nats = loss.negative_log_prob.item<double>() / static_cast<double>(loss.tokens);
        }
        EXPECT_LT(nats, 0.05) << static_cast<int>(encoder);
    }
}

}  // namespace
}  // namespace softalign
