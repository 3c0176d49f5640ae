// What dropout acts on, in whole models.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "fixtures.h"
#include "ops/execution.h"
#include "ops/loss.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

DropoutConfig dropout_everywhere(double p) {
    DropoutConfig dropout;
    dropout.source_words = p;
    dropout.target_words = p;
    dropout.source_embedding = p;
    dropout.target_embedding = p;
    dropout.context = p;
    dropout.output = p;
    dropout.layers = p;
    dropout.recurrent = p;
    dropout.attention = p;
    dropout.feed_forward = p;
    dropout.residual = p;
    return dropout;
}

ModelConfig transformer_model() {
    return groups_of_kinds().front().variants.front().config;
}

// A convolutional encoder under a Transformer's decoder.
ModelConfig mixed_kinds() {
    return groups_of_kinds().back().variants.front().config;
}

void expect_gradients(ModelConfig config) {
    config.dropout = dropout_everywhere(0.3);
    const TensorBatch batch = make_tensors(sample_pairs());
    const auto model = random_model(config, 61);
    std::string worst;
    const auto objective = [&] {
        Noise noise(5);
        return model->loss(batch, 0.1, Execution(nullptr, &noise)).objective;
    };
    EXPECT_LE(directional_error(objective, *model, &worst), 2e-7) << worst;
}

TEST(Seq2SeqDropout, GradientsMatchFiniteDifferencesUnderTheSameKey) {
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        for (const Order order :
             {Order::before, Order::look_generate_update, Order::between, Order::after, Order::after_feeding}) {
            expect_gradients(all_variants(cell, order)[2].config);  // deep
        }
    }
    for (const CellType cell : {CellType::gru, CellType::gru_cho, CellType::lstm}) {
        ModelConfig config = all_variants(CellType::gru, Order::before)[0].config;
        config.encoder.cell = config.decoder.cell = cell;
        expect_gradients(config);
    }
    for (const VariantGroup& group : groups_of_kinds()) {
        for (const Variant& variant : group.variants) {
            SCOPED_TRACE(variant.name);
            expect_gradients(variant.config);
        }
    }
}

// One model of each kind of unit, order, direction and layer.
std::vector<ModelConfig> models_of_every_kind() {
    std::vector<ModelConfig> models{transformer_model(), mixed_kinds()};
    for (const Order order : {Order::before, Order::between, Order::after_feeding}) {
        models.push_back(all_variants(CellType::gru, order)[2].config);  // deep
    }
    models.push_back(all_variants(CellType::lstm, Order::before)[0].config);
    models.back().decoder.reverse_target = true;
    return models;
}

// Whatever the model, each word stands beside its other pass: without noise they agree, so that no divergence is left;
// with noise they do not.
TEST(RDropModel, PassesOfOneWordAreCompared) {
    const TensorBatch batch = make_tensors(sample_pairs());
    for (ModelConfig config : models_of_every_kind()) {
        const auto model = random_model(config, 63);
        const Loss once = model->loss(batch, 0.1, plain_execution);
        const Loss twice = model->r_drop_loss(batch, {0.1, 5.0}, plain_execution);
        EXPECT_NEAR(twice.objective.item<double>(), once.objective.item<double>(), 1e-10);
        EXPECT_NEAR(twice.negative_log_prob.item<double>(), once.negative_log_prob.item<double>(), 1e-10);
        EXPECT_EQ(twice.tokens, once.tokens);
        EXPECT_EQ(twice.sentences, once.sentences);

        config.dropout.output = 0.3;
        const auto dropping = random_model(config, 63);
        const auto objective = [&](double alpha) {
            Noise noise(5);
            return dropping->r_drop_loss(batch, {0.1, alpha}, Execution(nullptr, &noise)).objective.item<double>();
        };
        EXPECT_GT(objective(5.0), objective(0.0) + 0.01);
    }
}

TEST(RDropModel, GradientsMatchFiniteDifferencesUnderTheSameKey) {
    const TensorBatch batch = make_tensors(sample_pairs());
    for (ModelConfig config : {all_variants(CellType::gru, Order::between)[2].config, mixed_kinds()}) {
        config.dropout = dropout_everywhere(0.3);
        const auto model = random_model(config, 64);
        std::string worst;
        const auto objective = [&] {
            Noise noise(5);
            return model->r_drop_loss(batch, {0.1, 3.0}, Execution(nullptr, &noise)).objective;
        };
        EXPECT_LE(directional_error(objective, *model, &worst), 2e-7) << worst;
    }
}

using Place = double DropoutConfig::*;

constexpr Place places_everywhere[] = {&DropoutConfig::source_words,     &DropoutConfig::target_words,
                                       &DropoutConfig::source_embedding, &DropoutConfig::target_embedding,
                                       &DropoutConfig::context,          &DropoutConfig::output};

// The places listed act on models of `config`; those of others leave them alone.
void expect_places(const ModelConfig& of_kind, const std::vector<Place>& acting, const std::vector<Place>& idle) {
    const TensorBatch batch = make_tensors(sample_pairs());
    const auto value = [&](const DropoutConfig& dropout, Noise* noise) {
        ModelConfig config = of_kind;
        config.dropout = dropout;
        return random_model(config, 62)->loss(batch, 0.0, Execution(nullptr, noise)).objective.item<double>();
    };
    const auto noisy = [&](Place place, std::uint64_t key) {
        DropoutConfig one;
        one.*place = 0.5;
        Noise noise(key);
        return value(one, &noise);
    };
    const double clean = value({}, nullptr);
    Noise unused(1);
    EXPECT_EQ(value({}, &unused), clean);
    EXPECT_EQ(value(dropout_everywhere(0.5), nullptr), clean);
    for (const Place place : acting) {
        EXPECT_NE(noisy(place, 1), clean);
        EXPECT_EQ(noisy(place, 1), noisy(place, 1));
        EXPECT_NE(noisy(place, 1), noisy(place, 2));
    }
    for (const Place place : idle) {
        EXPECT_EQ(noisy(place, 1), clean);
    }
}

TEST(Seq2SeqDropout, EachPlaceActsAndTheKeyDecides) {
    const Place layers = &DropoutConfig::layers;
    const Place recurrent = &DropoutConfig::recurrent;
    const Place attention = &DropoutConfig::attention;
    const Place feed_forward = &DropoutConfig::feed_forward;
    const Place residual = &DropoutConfig::residual;
    const std::vector<Place> everywhere(std::begin(places_everywhere), std::end(places_everywhere));
    const auto with = [&](std::vector<Place> more) {
        more.insert(more.end(), everywhere.begin(), everywhere.end());
        return more;
    };
    expect_places(all_variants(CellType::gru, Order::before)[2].config, with({layers, recurrent}),  // deep
                  {attention, feed_forward, residual});
    expect_places(transformer_model(), with({attention, feed_forward, residual}), {layers, recurrent});
    expect_places(mixed_kinds(), with({layers, attention, feed_forward, residual}), {recurrent});
}

// A place, and the ends of the names of the parameters without which it has nothing to drop.
struct Without {
    Place place;
    std::vector<std::string> names;
};

double loss_without(ModelConfig config, const std::vector<std::string>& names) {
    const at::NoGradGuard no_grad;
    const auto model = random_model(config, 64);
    for (const std::string& end : names) {
        bool found = false;
        for (auto& item : model->named_parameters()) {
            const std::string& name = item.key();
            if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) {
                item.value().zero_();
                found = true;
            }
        }
        EXPECT_TRUE(found) << end;
    }
    return model->loss(make_tensors(sample_pairs()), 0.0, plain_execution).objective.item<double>();
}

double loss_dropping_all(ModelConfig config, Place place) {
    config.dropout.*place = 1.0 - 0x1p-30;
    Noise noise(3);
    return random_model(config, 64)
        ->loss(make_tensors(sample_pairs()), 0.0, Execution(nullptr, &noise))
        .objective.item<double>();
}

// So a place drops all of what it should, and nothing else.
TEST(Seq2SeqDropout, DroppingEverythingIsDoingWithoutIt) {
    const std::vector<Without> of_both = {{&DropoutConfig::source_words, {"source_embedding"}},
                                          {&DropoutConfig::target_words, {"target_embedding"}},
                                          {&DropoutConfig::source_embedding, {"source_embedding"}},
                                          {&DropoutConfig::target_embedding, {"target_embedding"}},
                                          {&DropoutConfig::context, {"cross.weight_value"}},
                                          {&DropoutConfig::output, {"output_weight"}},
                                          {&DropoutConfig::feed_forward, {"feed_forward.weight2"}}};
    const std::vector<Without> of_transformers = {
        {&DropoutConfig::attention, {"self.weight_value", "cross.weight_value"}},
        {&DropoutConfig::residual,
         {"embedding", "encoder.positions", "decoder.positions", "self.weight_output", "cross.weight_output",
          "feed_forward.weight2", "feed_forward.bias2"}}};
    const std::vector<Without> of_convolutions = {
        {&DropoutConfig::layers, {"encoder.layer0.weight", "encoder.layer1.weight"}}};
    for (const EncoderType type : {EncoderType::transformer, EncoderType::convolutional}) {
        for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
            ModelConfig config = mixed_kinds();
            config.tied_embeddings = TiedEmbeddings::none;
            config.encoder.type = type;
            config.positions.type = PositionType::learned;
            config.transformer.norm = norm;
            std::vector<Without> all = of_both;
            const auto& own = type == EncoderType::transformer ? of_transformers : of_convolutions;
            all.insert(all.end(), own.begin(), own.end());
            for (const Without& one : all) {
                EXPECT_NEAR(loss_dropping_all(config, one.place), loss_without(config, one.names), 1e-10)
                    << one.names.front();
            }
        }
    }
}

// Search never drops anything out.
TEST(Seq2SeqDropout, StepIsWithoutNoise) {
    const at::NoGradGuard no_grad;
    const TensorBatch batch = make_tensors(sample_pairs());
    const auto first_logits = [&](ModelConfig config, const DropoutConfig& dropout) {
        config.dropout = dropout;
        const auto model = random_model(config, 63);
        const Encoded encoded = model->encode(batch.source, plain_execution);
        const at::Tensor bos = at::full({4}, bos_id, at::kLong);
        return model
            ->step(bos, *model->decoder().prepare(encoded, plain_execution),
                   *model->decoder().start(encoded, plain_execution), plain_execution)
            .logits;
    };
    for (const ModelConfig& config : {all_variants(CellType::gru, Order::after_feeding)[0].config, mixed_kinds()}) {
        EXPECT_TRUE(first_logits(config, dropout_everywhere(0.5)).equal(first_logits(config, {})));
    }
}

}  // namespace
}  // namespace softalign
