#include "train/frozen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/has.h"
#include "train/small_step.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

Config config_to_freeze() {
    Config config;
    config.model.embedding_size = 5;
    config.model.encoder.hidden_size = 6;
    config.model.decoder.hidden_size = 7;
    config.model.attention.size = 4;
    config.training.clip_norm = 0.0;
    config.training.shards = 2;
    config.training.optimizer.type = OptimizerType::sgd;
    return config;
}

Batch some_batch() {
    return make_batch({{0, {4, 5, 6}, {7, 8}}, {1, {9, 10}, {11, 12, 13}}, {2, {5}, {6}}}, small_special);
}

// The names of what differs.
std::vector<std::string> changed(const FlatParameters& parameters, const at::Tensor& before, const at::Tensor& after) {
    std::vector<std::string> names;
    const auto parts_before = parameters.parts(before);
    const auto parts_after = parameters.parts(after);
    for (std::size_t i = 0; i < parts_before.size(); ++i) {
        if (!parts_before[i].second.equal(parts_after[i].second)) {
            names.push_back(parts_before[i].first);
        }
    }
    return names;
}

std::vector<std::string> all_names(const FlatParameters& parameters) {
    std::vector<std::string> names;
    for (const FlatParameters::Part& part : parameters.layout()) {
        names.push_back(part.name);
    }
    return names;
}

class Frozen : public testing::TestWithParam<OptimizerType> {};

// Weight decay and l2 would move weights that have no gradient, and so would a momentum.
TEST_P(Frozen, TensorsKeepTheirBytesAndTheRestIsTrained) {
    Config config = config_to_freeze();
    config.training.optimizer.type = GetParam();
    config.training.optimizer.l2 = 0.1;
    config.training.optimizer.weight_decay = GetParam() == OptimizerType::adamw ? 0.1 : 0.0;
    config.training.optimizer.momentum = GetParam() == OptimizerType::sgd ? 0.9 : 0.0;
    config.training.ema = 0.5;
    config.training.freeze = {"encoder", "source_embedding", "*bias"};
    SmallStep run(config, 2);
    const at::Tensor before = run.vectors.parameters.values().clone();
    const Batch batch = some_batch();
    for (std::int64_t t = 1; t <= 3; ++t) {
        EXPECT_TRUE(run.update({{batch, 1}}, 0.1, t).applied);
    }
    std::vector<std::string> trained;
    for (const std::string& name : all_names(run.vectors.parameters)) {
        const bool is_bias = name.size() > 4 && name.substr(name.size() - 4) == "bias";
        if (name.rfind("encoder.", 0) != 0 && name != "source_embedding" && !is_bias) {
            trained.push_back(name);
        }
    }
    EXPECT_EQ(changed(run.vectors.parameters, before, run.vectors.parameters.values()), trained);
    EXPECT_EQ(changed(run.vectors.parameters, before, run.vectors.average), trained);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Frozen,
                         testing::Values(OptimizerType::sgd, OptimizerType::adadelta, OptimizerType::adam,
                                         OptimizerType::adamw));

// With a rate of 1, a step of plain descent is the gradient.
TEST(FrozenParts, AreNoPartOfTheNorm) {
    Config config = config_to_freeze();
    SmallStep free(config, 1);
    const at::Tensor before = free.vectors.parameters.values().clone();
    const Batch batch = some_batch();
    const double whole_norm = free.update({{batch, 1}}, 1.0, 1).gradient_norm;
    double squares = 0.0;
    const at::Tensor gradient = before - free.vectors.parameters.values();
    for (const auto& [name, part] : free.vectors.parameters.parts(gradient)) {
        squares += name.rfind("decoder.", 0) == 0 ? part.to(at::kDouble).pow(2).sum().item<double>() : 0.0;
    }
    config.training.freeze = {"*embedding", "encoder.*", "output_*"};
    SmallStep frozen(config, 1);
    const double norm = frozen.update({{batch, 1}}, 1.0, 1).gradient_norm;
    EXPECT_NEAR(norm, std::sqrt(squares), 1e-5);
    EXPECT_LT(norm, 0.9 * whole_norm);
    // And what is trained moves as it would have.
    const at::Tensor& moved = frozen.vectors.parameters.values();
    EXPECT_TRUE(moved.eq(before).logical_or(moved.eq(free.vectors.parameters.values())).all().item<bool>());
}

TEST(FrozenParts, CutARange) {
    const SmallStep run(config_to_freeze(), 1);
    const std::vector<FlatParameters::Part>& layout = run.vectors.parameters.layout();
    const FrozenParts frozen({layout[1].name}, run.vectors.parameters);
    const FlatRange part{layout[1].begin, layout[1].count};
    const auto text = [](const std::vector<FlatRange>& ranges) {
        std::string result;
        for (const FlatRange& range : ranges) {
            result += std::to_string(range.begin) + "+" + std::to_string(range.count) + " ";
        }
        return result;
    };
    const std::int64_t end = part.begin + part.count;
    EXPECT_EQ(text(frozen.inside({0, end + 5})), text({part}));
    EXPECT_EQ(text(frozen.outside({0, end + 5})), text({{0, part.begin}, {end, 5}}));
    EXPECT_EQ(text(frozen.inside({part.begin + 2, 3})), text({{part.begin + 2, 3}}));
    EXPECT_EQ(text(frozen.outside({part.begin + 2, 3})), "");
    EXPECT_EQ(text(frozen.outside({part.begin + 2, part.count})), text({{end, 2}}));
    EXPECT_EQ(text(frozen.inside({end, 3})), "");
    EXPECT_EQ(text(frozen.outside({end, 3})), text({{end, 3}}));
    EXPECT_EQ(frozen.description(), "1 of " + std::to_string(layout.size()) + " tensors, " +
                                        std::to_string(part.count) + " of " +
                                        std::to_string(run.model.parameter_count()) + " weights");
    EXPECT_EQ(FrozenParts({}, run.vectors.parameters).description(), "");
}

TEST(FrozenParts, AnUnknownNameIsRefusedWithThoseThereAre) {
    const SmallStep run(config_to_freeze(), 1);
    const auto refusal = [&](const std::vector<std::string>& names) {
        return fault(ExitCode::configuration, [&] { FrozenParts(names, run.vectors.parameters); });
    };
    const std::string message = refusal({"encoder", "source_embeddings"});
    EXPECT_TRUE(has(message, "no tensor or part of the model is called source_embeddings")) << message;
    for (const std::string& name : all_names(run.vectors.parameters)) {
        EXPECT_TRUE(has(message, "\n  " + name)) << message;
    }
    EXPECT_TRUE(has(refusal({"enc"}), "is called enc;"));
    EXPECT_TRUE(has(refusal({""}), "is called ;"));
    EXPECT_TRUE(has(refusal({"*"}), "leaves no tensor to train"));
}

TEST_F(Training, frozen_tensors_keep_what_they_were_drawn_as) {
    Config run = config("run");
    run.training.freeze = {"source_embedding"};
    train(run, false);
    Config other = run;
    other.checkpoints.directory = at("other");
    other.runtime.workers = 1;
    train(other, false);
    EXPECT_EQ(bytes("run/model.safetensors"), bytes("other/model.safetensors"));
    const Tokenizers tokenizers = load_tokenizers(at("run"));
    Seq2Seq drawn(run.model, {tokenizers.source->size(), tokenizers.target->size()});
    drawn.initialize(run.training.seed);
    const TensorFile file = read_safetensors(at("run") / "model.safetensors");
    for (const auto& [name, tensor] : file.tensors) {
        EXPECT_EQ(tensor.equal(*drawn.named_parameters().find(name)), name == "source_embedding") << name;
    }
    // A resumed run may train what was frozen.
    run.training.freeze = {};
    run.training.max_epochs = 3;
    train(run, true);
    EXPECT_NE(bytes("run/model.safetensors"), bytes("other/model.safetensors"));
    run.training.freeze = {"source"};
    const std::string message = fault(ExitCode::configuration, [&] { train(run, true); });
    EXPECT_TRUE(has(message, "is called source;")) << message;
}

}  // namespace
}  // namespace softalign
