// Models whose source is features.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "fixtures.h"
#include "model/source/source.h"
#include "ops/execution.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

constexpr std::int64_t depth = 3;

ModelConfig feature_config() {
    ModelConfig config;
    config.source.size = depth;
    config.embedding_size = 4;
    config.encoder.hidden_size = 3;
    config.decoder.hidden_size = 5;
    config.attention.size = 4;
    return config;
}

// Three arrays of 2 x 2, 1 x 1 and 1 x 3 positions with their translations.
std::vector<Example> feature_pairs() {
    Random random(5);
    std::vector<Example> examples;
    for (const Grid& grid : {Grid{2, 2}, Grid{1, 1}, Grid{1, 3}}) {
        Example example{static_cast<std::int64_t>(examples.size()), {}, {5, 4}};
        example.target.resize(1 + examples.size() % 2);
        example.features = {grid, depth, {}};
        for (std::int64_t i = 0; i < grid.positions() * depth; ++i) {
            example.features.values.push_back(static_cast<float>(random.uniform()) - 0.5F);
        }
        examples.push_back(example);
    }
    return examples;
}

TensorBatch feature_batch(const std::vector<Example>& examples) {
    return to_tensors(make_batch(examples, SpecialIdPair{}), at::kCPU);
}

TEST(FeatureModel, HasAProjectionInPlaceOfATable) {
    const auto model = random_model(feature_config(), 3);
    const auto parameters = model->named_parameters();
    EXPECT_FALSE(parameters.contains("source_embedding"));
    EXPECT_EQ(parameters["source.weight"].sizes(), at::IntArrayRef({4, depth}));
    EXPECT_EQ(parameters["source.bias"].sizes(), at::IntArrayRef({4}));
    const SourceBatch source = feature_batch(feature_pairs()).source;
    FeatureEmbedding embedding(feature_config().source, 4, {});
    embedding.to(at::kDouble);
    randomize(embedding, 8);
    const SourceBatch embedded = embedding.embed(source, plain_execution);
    const at::Tensor expected = at::matmul(source.values.to(at::kDouble), embedding.named_parameters()["weight"].t()) +
                                embedding.named_parameters()["bias"];
    EXPECT_LE((embedded.values - expected).abs().max().item<double>(), 1e-15);
    EXPECT_EQ(embedded.lengths, source.lengths);
    EXPECT_EQ(embedded.grids, source.grids);
}

TEST(FeatureModel, GradientsMatchFiniteDifferences) {
    const auto model = random_model(feature_config(), 4);
    const TensorBatch batch = feature_batch(feature_pairs());
    std::string worst;
    const auto objective = [&] { return model->loss(batch, 0.1, plain_execution).objective; };
    EXPECT_LE(directional_error(objective, *model, &worst), 2e-7) << worst;
    for (const at::Tensor& gradient : gradients_of(*model, objective())) {
        EXPECT_GT(gradient.abs().max().item<double>(), 1e-9);
    }
}

TEST(FeatureModel, ABatchIsTheSumOfItsSentences) {
    const at::NoGradGuard no_grad;
    const auto model = random_model(feature_config(), 5);
    double sum = 0.0;
    for (const Example& example : feature_pairs()) {
        sum += model->loss(feature_batch({example}), 0.0, plain_execution).objective.item<double>();
    }
    const double together = model->loss(feature_batch(feature_pairs()), 0.0, plain_execution).objective.item<double>();
    EXPECT_NEAR(together, sum, 1e-12);
}

TEST(FeatureModel, AnnotationsKeepTheGrid) {
    const at::NoGradGuard no_grad;
    const auto model = random_model(feature_config(), 6);
    const SourceBatch source = feature_batch(feature_pairs()).source;
    const Encoded encoded = model->encode(source, plain_execution);
    ASSERT_EQ(encoded.grids.size(), source.grids.size());
    for (std::size_t row = 0; row < source.grids.size(); ++row) {
        EXPECT_EQ(encoded.grids[row], model->annotation_grid(source.grids[row]));
        EXPECT_EQ(encoded.lengths[row], encoded.grids[row].positions());
    }
}

TEST(FeatureModel, DropoutActsOnTheProjection) {
    const SourceBatch source = feature_batch(feature_pairs()).source;
    DropoutConfig half;
    half.source_embedding = 0.5;
    FeatureEmbedding embedding(feature_config().source, 4, half);
    embedding.initialize(InitConfig(), 8);
    Noise noise(7);
    const Execution noisy(nullptr, &noise);
    const at::Tensor dropped = embedding.embed(source, noisy).values;
    const at::Tensor kept = embedding.embed(source, plain_execution).values;
    const at::Tensor zero = dropped.eq(0.0);
    EXPECT_GT(zero.sum().item<std::int64_t>(), 0);
    EXPECT_LT(zero.sum().item<std::int64_t>(), dropped.numel());
    EXPECT_TRUE(at::allclose(dropped.masked_select(zero.logical_not()), 2.0 * kept.masked_select(zero.logical_not())));
}

}  // namespace
}  // namespace softalign
