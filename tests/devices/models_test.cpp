#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "data/batch.h"
#include "devices/devices.h"
#include "model/fixtures.h"
#include "model/seq2seq.h"
#include "ops/execution.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

TensorBatch moved(const TensorBatch& batch, const at::Device& device) {
    TensorBatch result = batch;
    result.source.values = on_device(batch.source.values, device);
    result.target_in = on_device(batch.target_in, device);
    result.target_out = on_device(batch.target_out, device);
    result.alignment = on_device(batch.alignment, device);
    return result;
}

// Objective, negative log-probability and the gradients of all parameters, with dropout; the host waits for none of
// them.
std::vector<at::Tensor> loss_and_gradients(Seq2Seq& model, const TensorBatch& batch) {
    Noise noise(5);
    const Traffic before = traffic();
    const Loss loss = model.loss(batch, 0.1, Execution(nullptr, &noise));
    std::vector<at::Tensor> found = gradients_of(model, loss.objective);
    const Traffic between = traffic_since(before);
    EXPECT_EQ(between.reads, 0);
    EXPECT_EQ(between.to_host, 0);
    EXPECT_EQ(between.waits, 0);
    found.push_back(loss.objective.detach());
    found.push_back(loss.negative_log_prob);
    for (at::Tensor& tensor : found) {
        tensor = tensor.cpu();
    }
    return found;
}

ModelConfig regularized_config() {
    ModelConfig config;
    config.embedding_size = 4;
    config.encoder.hidden_size = 3;
    config.decoder.hidden_size = 6;
    config.attention.size = 4;
    config.dropout.output = 0.2;
    return config;
}

void set_dropout(ModelConfig& config) {
    config.dropout.source_words = 0.1;
    config.dropout.target_words = 0.1;
    config.dropout.source_embedding = 0.2;
    config.dropout.target_embedding = 0.2;
    config.dropout.context = 0.1;
    config.dropout.output = 0.2;
    config.dropout.layers = 0.2;
    config.dropout.attention = 0.1;
    config.dropout.feed_forward = 0.1;
    config.dropout.residual = 0.1;
}

class DeviceModels : public testing::TestWithParam<std::tuple<at::Device, std::size_t>> {
protected:
    static at::Device device() { return std::get<0>(GetParam()); }

    static void expect_as_on_cpu(const ModelConfig& config, const TensorBatch& batch) {
        const std::shared_ptr<Seq2Seq> model = random_model(config, 81);
        const std::vector<at::Tensor> expected = loss_and_gradients(*model, batch);
        const at::Tensor log_probs = model->token_log_probs(batch, plain_execution);
        model->to(device());
        const TensorBatch there = moved(batch, device());
        EXPECT_LE(largest_difference(loss_and_gradients(*model, there), expected), 1e-10);
        EXPECT_LE(largest_difference(model->token_log_probs(there, plain_execution).cpu(), log_probs), 1e-10);
        if (model->has_attention()) {
            EXPECT_EQ(model->attention(there, plain_execution).device(), device());
        }
    }
};

// Every attention, unit, order, encoder and decoder; some of the many combinations.
TEST_P(DeviceModels, LossAndGradientsAreThoseOfTheCpu) {
    const TensorBatch batch = make_tensors(sample_pairs());
    const VariantGroup& group = variant_groups().at(std::get<1>(GetParam()));
    const std::size_t stride = group.variants.size() > 30 ? 7 : 1;  // there, of 12 by 5 combinations
    for (std::size_t i = 0; i < group.variants.size(); i += stride) {
        SCOPED_TRACE(group.variants[i].name);
        ModelConfig config = group.variants[i].config;
        set_dropout(config);
        config.dropout.recurrent = i % 2 == 0 ? 0.2 : 0.0;
        expect_as_on_cpu(config, batch);
    }
}

std::string group_name(const testing::TestParamInfo<DeviceModels::ParamType>& info) {
    return std::string(std::get<0>(info.param).is_cuda() ? "Cuda_" : "Counting_") +
           variant_groups().at(std::get<1>(info.param)).name;
}

INSTANTIATE_TEST_SUITE_P(All, DeviceModels,
                         testing::Combine(testing::ValuesIn(devices_beside_cpu()),
                                          testing::Range(std::size_t{0}, variant_groups().size())),
                         group_name);

class DeviceModel : public testing::TestWithParam<at::Device> {};

// Grids of features, with convolutions in front, under every encoder.
TEST_P(DeviceModel, ReadsGrids) {
    Random random(17);
    std::vector<Example> examples;
    for (const Grid& grid : {Grid{4, 3}, Grid{1, 1}, Grid{3, 6}}) {
        Example example;
        example.target = {5, static_cast<std::int32_t>(4 + grid.height)};
        example.features = {grid, 2, {}};
        for (std::int64_t i = 0; i < grid.positions() * 2; ++i) {
            example.features.values.push_back(static_cast<float>(random.uniform()) - 0.5F);
        }
        examples.push_back(example);
    }
    const Batch batch = make_batch(examples, SpecialIdPair{});
    for (const EncoderType encoder :
         {EncoderType::none, EncoderType::recurrent, EncoderType::transformer, EncoderType::convolutional}) {
        ModelConfig config;
        config.source.size = 2;
        config.source.convolutions.channels = {3, 4};
        config.source.convolutions.row_strides = {2, 1};
        config.source.convolutions.column_strides = {1, 2};
        config.embedding_size = 6;
        config.encoder.type = encoder;
        config.encoder.hidden_size = encoder == EncoderType::recurrent ? 3 : 6;
        config.decoder.hidden_size = 6;
        config.attention.size = 4;
        config.transformer.heads = 2;
        config.transformer.feed_forward_size = 5;
        const auto model = std::make_shared<Seq2Seq>(config, VocabularySizes{2, 11});
        model->to(at::kDouble);
        randomize(*model, 7);
        const std::vector<at::Tensor> expected = loss_and_gradients(*model, to_tensors(batch, at::kCPU));
        model->to(GetParam());
        const Traffic before = traffic();
        const TensorBatch there = to_tensors(batch, GetParam());
        EXPECT_EQ(traffic_since(before).waits, 0);
        EXPECT_LE(largest_difference(loss_and_gradients(*model, there), expected), 1e-10);
    }
}

TEST_P(DeviceModel, SamplesItsOwnWordsAndGuidesItsAttention) {
    TensorBatch batch = make_tensors(sample_pairs());
    batch.alignment = at::zeros({4, batch.target_in.size(1), batch.source.width()}, at::kFloat);
    batch.alignment.select(2, 0).fill_(1.0);
    const std::shared_ptr<Seq2Seq> model = random_model(regularized_config(), 83);
    const auto results = [&](const TensorBatch& given) {
        Noise noise(6);
        const Execution execution(nullptr, &noise);
        const TensorBatch own = model->with_own_words(given, 0.3, execution);
        const Loss loss = model->r_drop_loss(own, {Smoothing(0.1), 2.0}, execution, {});
        std::vector<at::Tensor> found = gradients_of(*model, loss.objective);
        found.push_back(own.target_in.to(at::kDouble));
        found.push_back(loss.alignment.to(at::kDouble));
        for (at::Tensor& tensor : found) {
            tensor = tensor.cpu();
        }
        return found;
    };
    const std::vector<at::Tensor> expected = results(batch);
    model->to(GetParam());
    const TensorBatch there = moved(batch, GetParam());
    Noise noise(6);
    const Traffic before = traffic();
    model->with_own_words(there, 0.3, Execution(nullptr, &noise));
    const Traffic between = traffic_since(before);
    EXPECT_EQ(between.reads + between.to_host + between.waits, 0);
    EXPECT_LE(largest_difference(results(there), expected), 1e-10);
}

TEST_P(DeviceModel, MinimisesRisk) {
    const std::vector<Pair> pairs = sample_pairs();
    std::vector<Pair> translations;
    std::vector<std::int64_t> rows;
    CandidateBatch batch;
    for (std::size_t sentence = 0; sentence < pairs.size(); ++sentence) {
        for (const std::vector<std::int64_t>& target : {pairs[sentence].target, {8, 7}, {5}}) {
            translations.push_back({{4}, target});
            rows.push_back(static_cast<std::int64_t>(sentence));
            batch.risks.push_back(0.1 * static_cast<double>(target.size()));
        }
        batch.counts.push_back(3);
    }
    batch.translations = make_tensors(translations);
    batch.translations.source = make_tensors(pairs).source;
    batch.translations.source_rows = at::tensor(rows, at::kLong);
    const std::shared_ptr<Seq2Seq> model = random_model(regularized_config(), 85);
    const auto results = [&](const at::Device& device) {
        CandidateBatch there = batch;
        there.translations = moved(batch.translations, device);
        Noise noise(7);
        const MinimumRiskConfig risk{5, 0.3, RiskMetric::bleu, true, 0.1};
        const Loss loss = model->risk_loss(there, risk, 0.1, Execution(nullptr, &noise));
        EXPECT_EQ(loss.objective.device(), device);
        EXPECT_EQ(loss.negative_log_prob.device(), device);
        std::vector<at::Tensor> found = gradients_of(*model, loss.objective);
        found.push_back(loss.objective.detach());
        found.push_back(loss.negative_log_prob);
        for (at::Tensor& tensor : found) {
            tensor = tensor.cpu();
        }
        return found;
    };
    const std::vector<at::Tensor> expected = results(at::kCPU);
    model->to(GetParam());
    EXPECT_LE(largest_difference(results(GetParam()), expected), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(All, DeviceModel, testing::ValuesIn(devices_beside_cpu()), device_name);

}  // namespace
}  // namespace softalign
