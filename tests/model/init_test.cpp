#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/has.h"
#include "fixtures.h"

namespace softalign {
namespace {

using Parameters = std::map<std::string, at::Tensor>;

ModelConfig medium_config() {
    ModelConfig config;
    config.embedding_size = 24;
    config.encoder.hidden_size = 20;
    config.decoder.hidden_size = 28;
    config.attention.size = 16;
    return config;
}

Parameters start(const ModelConfig& config, std::uint64_t seed = 3) {
    Seq2Seq model(config, {200, 150});
    model.initialize(seed);
    Parameters result;
    for (const auto& item : model.named_parameters()) {
        result[item.key()] = item.value().detach().clone();
    }
    return result;
}

TEST(Initialization, IsAFunctionOfTheSeedAndTheName) {
    const Parameters one = start(medium_config());
    const Parameters again = start(medium_config());
    const Parameters other = start(medium_config(), 4);
    for (const auto& [name, value] : one) {
        EXPECT_TRUE(value.equal(again.at(name))) << name;
        EXPECT_EQ(value.equal(other.at(name)), value.dim() < 2) << name;
    }
    EXPECT_FALSE(one.at("encoder.layer0_forward.weight_hh").equal(one.at("encoder.layer0_backward.weight_hh")));
}

// Hundreds of gigabytes, which nobody allocates.
TEST(Initialization, AModelWithoutWeightsTakesNoMemory) {
    ModelConfig config;
    config.encoder.hidden_size = 65536;
    config.decoder.hidden_size = 65536;
    config.encoder.layers = 8;
    config.layer_norm = true;
    Seq2Seq model(config, {1 << 20, 1 << 20});
    EXPECT_GT(model.parameter_count(), std::int64_t{1} << 37);
    for (const auto& item : model.named_parameters()) {
        EXPECT_EQ(item.value().storage().nbytes(), sizeof(float)) << item.key();
        EXPECT_TRUE(item.value().requires_grad()) << item.key();
    }
}

TEST(Initialization, MoreLayersLeaveTheStartOfTheOthersAlone) {
    const Parameters shallow = start(medium_config());
    ModelConfig deep = medium_config();
    deep.encoder.layers = 3;
    deep.decoder.layers = 2;
    const Parameters more = start(deep);
    EXPECT_GT(more.size(), shallow.size());
    for (const auto& [name, value] : shallow) {
        ASSERT_EQ(more.count(name), 1U) << name;
        EXPECT_TRUE(value.equal(more.at(name))) << name;
    }
}

TEST(Initialization, RecurrentBlocksAreOrthogonal) {
    for (const CellType cell : {CellType::gru, CellType::lstm}) {
        ModelConfig config = medium_config();
        config.encoder.cell = cell;
        config.decoder.cell = cell;
        int blocks = 0;
        for (const auto& [name, value] : start(config)) {
            if (!has(name, "weight_hh")) {
                continue;
            }
            const std::int64_t size = value.size(1);
            for (const at::Tensor& block : value.split(size, 0)) {
                EXPECT_LE(largest_difference(block.matmul(block.t()), at::eye(size)), 1e-5) << name;
                ++blocks;
            }
            const std::vector<at::Tensor> parts = value.split(size, 0);
            EXPECT_FALSE(parts[0].equal(parts[1])) << name;
        }
        EXPECT_EQ(blocks, cell == CellType::gru ? 9 : 12);
    }
}

TEST(Initialization, BiasesAreZeroAndGainsOne) {
    ModelConfig config = medium_config();
    config.layer_norm = true;
    config.encoder.cell = CellType::lstm;
    int gains = 0;
    int biases = 0;
    for (const auto& [name, value] : start(config)) {
        if (has(name, "gain")) {
            EXPECT_TRUE(value.eq(1.0).all().item<bool>()) << name;
            ++gains;
        } else if (has(name, "bias")) {
            EXPECT_TRUE(value.eq(0.0).all().item<bool>()) << name;
            ++biases;
        } else {
            EXPECT_EQ(value.dim(), 2) << name;
            EXPECT_TRUE(value.ne(0.0).all().item<bool>()) << name;
        }
    }
    EXPECT_EQ(gains, 9);           // two directions of three (LSTM), the decoder's three (GRU with a context)
    EXPECT_EQ(biases, gains + 3);  // bias_init0, readout.bias, output_bias
}

// The largest magnitude and the standard deviation of every matrix but the recurrent ones.
void expect_spread(const Parameters& parameters, double (*half_width)(double in, double out, bool embedding),
                   bool uniform) {
    for (const auto& [name, value] : parameters) {
        if (value.dim() < 2 || has(name, "weight_hh")) {
            continue;
        }
        const bool has_gates = has(name, "weight_ih") || has(name, "weight_ch");  // three matrices, of a GRU
        const double bound =
            half_width(static_cast<double>(value.size(1)), static_cast<double>(value.size(0)) / (has_gates ? 3.0 : 1.0),
                       has(name, "embedding"));
        const double count = static_cast<double>(value.numel());
        if (uniform && !has(name, "embedding")) {
            EXPECT_LE(value.abs().max().item<double>(), bound * (1.0 + 1e-6)) << name;
            EXPECT_GE(value.abs().max().item<double>(), bound * (1.0 - 12.0 / count)) << name;
            EXPECT_NEAR(value.mean().item<double>(), 0.0, 5.0 * bound / std::sqrt(3.0 * count)) << name;
        } else {
            EXPECT_NEAR(value.std().item<double>() / bound, 1.0, 4.0 / std::sqrt(2.0 * count)) << name;
            EXPECT_NEAR(value.mean().item<double>(), 0.0, 5.0 * bound / std::sqrt(count)) << name;
        }
    }
}

TEST(Initialization, XavierUniformKeepsItsBounds) {
    expect_spread(
        start(medium_config()),
        [](double in, double out, bool embedding) {
            return embedding ? 1.0 / std::sqrt(in) : std::sqrt(6.0 / (in + out));
        },
        true);
}

TEST(Initialization, XavierNormalHasItsDeviation) {
    ModelConfig config = medium_config();
    config.init.weights = Initializer::xavier_normal;
    config.init.scale = 0.5;
    expect_spread(
        start(config),
        [](double in, double out, bool embedding) {
            return 0.5 * (embedding ? 1.0 / std::sqrt(in) : std::sqrt(2.0 / (in + out)));
        },
        false);
}

TEST(Initialization, NormalHasItsDeviation) {
    ModelConfig config = medium_config();
    config.init.weights = Initializer::normal;
    config.init.scale = 0.01;
    expect_spread(
        start(config), [](double, double, bool) { return 0.01; }, false);
}

TEST(Initialization, UniformKeepsItsBoundsEverywhere) {
    ModelConfig config = medium_config();
    config.init.weights = Initializer::uniform;
    config.init.scale = 0.1;
    config.init.recurrent = RecurrentInitializer::same;
    for (const auto& [name, value] : start(config)) {
        if (value.dim() == 2) {
            EXPECT_LE(value.abs().max().item<double>(), 0.1 + 1e-7) << name;
            EXPECT_GE(value.abs().max().item<double>(), 0.1 * (1.0 - 12.0 / static_cast<double>(value.numel())))
                << name;
        }
    }
}

TEST(Initialization, IsTheSameInDoubleUpToRounding) {
    Seq2Seq single(medium_config(), {200, 150});
    Seq2Seq twice(medium_config(), {200, 150});
    twice.to(at::kDouble);
    single.initialize(9);
    twice.initialize(9);
    const auto expected = twice.named_parameters();
    for (const auto& item : single.named_parameters()) {
        EXPECT_TRUE(item.value().equal(expected[item.key()].to(at::kFloat))) << item.key();
    }
}

// A figure that changes when a number of a parameter is drawn differently or moves to another place. No checksum: the
// last bits of draws depend on the mathematical library and on the BLAS.
double figure_of(const Seq2Seq& model) {
    double figure = 0.0;
    double place = 1.0;
    for (const at::Tensor& parameter : model.parameters()) {
        const at::Tensor values = parameter.detach().to(at::kDouble).flatten();
        figure += place * values.dot(at::arange(values.numel(), at::kDouble).remainder(7.0) - 2.0).item<double>();
        place += 0.125;
    }
    return figure;
}

// A seed gives the same model in every version of the program. Every attention, unit and part, with all kinds of
// initialisation spread over them.
TEST(Initialization, TheSameSeedGivesTheSameModelAsEver) {
    std::ifstream file(std::string(SOFTALIGN_SOURCE_DIR) + "/tests/model/golden/initial_values.json");
    const auto golden = nlohmann::json::parse(file);
    std::size_t compared = 0;
    for (const VariantGroup& group : variant_groups()) {
        for (const Variant& variant : group.variants) {
            const std::string name = group.name + ": " + variant.name;
            if (!golden.contains(name)) {
                continue;
            }
            const std::uint32_t seed = crc32c(name.data(), name.size());
            ModelConfig config = variant.config;
            config.init.weights = static_cast<Initializer>(seed % 4);
            config.init.recurrent = static_cast<RecurrentInitializer>(seed / 4 % 2);
            config.init.attention = static_cast<AttentionInitializer>(seed / 8 % 2);
            Seq2Seq model(config, sample_sizes(config));
            model.initialize(seed);
            EXPECT_NEAR(figure_of(model), golden.at(name).get<double>(), 1e-5) << name;
            ++compared;
        }
    }
    EXPECT_EQ(compared, golden.size());
}

}  // namespace
}  // namespace softalign
