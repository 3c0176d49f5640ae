// The models of golden/figures.json, which golden/make_golden.py computed from the equations of docs/models.md with
// plain loops over numbers.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "fixtures.h"

namespace softalign {
namespace {

using nlohmann::json;

const json& golden() {
    static const json figures = [] {
        std::ifstream file(std::string(SOFTALIGN_SOURCE_DIR) + "/tests/model/golden/figures.json");
        return json::parse(file);
    }();
    return figures;
}

CellType cell_type(const json& value) {
    return value == "lstm" ? CellType::lstm : CellType::gru;
}

AttentionType attention_type(const std::string& name) {
    if (name == "additive") {
        return AttentionType::additive;
    }
    if (name == "dot") {
        return AttentionType::dot;
    }
    if (name == "general") {
        return AttentionType::general;
    }
    return name == "concat" ? AttentionType::concat : AttentionType::none;
}

ModelConfig read_config(const json& value) {
    ModelConfig config;
    config.embedding_size = value["embedding_size"];
    config.encoder.cell = cell_type(value["encoder"]["cell"]);
    config.encoder.layers = value["encoder"]["layers"];
    config.encoder.hidden_size = value["encoder"]["hidden_size"];
    config.encoder.bidirectional = value["encoder"]["bidirectional"];
    config.encoder.residual = value["encoder"]["residual"];
    config.decoder.cell = cell_type(value["decoder"]["cell"]);
    config.decoder.layers = value["decoder"]["layers"];
    config.decoder.hidden_size = value["decoder"]["hidden_size"];
    config.decoder.attend = value["decoder"]["attend"] == "before" ? AttendWhen::before : AttendWhen::after;
    config.decoder.input_feeding = value["decoder"]["input_feeding"];
    const std::string initial = value["decoder"]["initial_state"];
    config.decoder.initial_state =
        initial == "last" ? InitialState::last : (initial == "mean" ? InitialState::mean : InitialState::zero);
    config.decoder.readout_size = value["decoder"]["readout_size"];
    config.decoder.residual = value["decoder"]["residual"];
    config.attention.type = attention_type(value["attention"]["type"]);
    config.attention.size = value["attention"]["size"];
    const std::string tied = value["tied_embeddings"];
    config.tied_embeddings =
        tied == "all" ? TiedEmbeddings::all : (tied == "target" ? TiedEmbeddings::target : TiedEmbeddings::none);
    config.layer_norm = value["layer_norm"];
    return config;
}

// Element i of parameter `name`: 0.6 sin(0.7 i + 0.1 (sum of the bytes of the name)), plus 1 for a gain.
void fill(Seq2Seq& model) {
    const at::NoGradGuard no_grad;
    for (auto& item : model.named_parameters()) {
        const std::string& name = item.key();
        double phase = 0.0;
        for (const char c : name) {
            phase += 0.1 * static_cast<double>(c);
        }
        const double base = name.size() > 5 && name.substr(name.size() - 5) == ".gain" ? 1.0 : 0.0;
        double* data = item.value().data_ptr<double>();
        for (std::int64_t i = 0; i < item.value().numel(); ++i) {
            data[i] = base + 0.6 * std::sin(0.7 * static_cast<double>(i) + phase);
        }
    }
}

at::Tensor read_tensor(const json& rows) {
    std::vector<at::Tensor> parts;
    for (const json& row : rows) {
        parts.push_back(row.is_array() ? read_tensor(row) : at::scalar_tensor(row.get<double>(), at::kDouble));
    }
    return at::stack(parts);
}

Pair read_pair(const json& sentence) {
    return {sentence["source"], sentence["target"]};
}

class GoldenTest : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        figures_ = golden().at(GetParam());
        const VocabularySizes sizes{figures_["source_size"], figures_["target_size"]};
        model_ = std::make_shared<Seq2Seq>(read_config(figures_["config"]), sizes);
        model_->to(torch::kDouble);
        fill(*model_);
    }

    json figures_;
    std::shared_ptr<Seq2Seq> model_;
};

TEST_P(GoldenTest, ParametersHaveTheDocumentedNamesAndShapes) {
    json shapes = json::object();
    for (const auto& item : model_->named_parameters()) {
        shapes[item.key()] = item.value().sizes().vec();
    }
    EXPECT_EQ(shapes, figures_["parameters"]);
}

TEST_P(GoldenTest, AnnotationsWeightsAndLogits) {
    const at::NoGradGuard no_grad;
    for (const json& sentence : figures_["sentences"]) {
        const TensorBatch batch = make_tensors({read_pair(sentence)});
        const EncoderOutput encoded = model_->encode(batch.source, batch.source_mask, nullptr);
        EXPECT_LE(largest_difference(encoded.annotations[0], read_tensor(sentence["annotations"])), 1e-9);
        const DecoderMemory memory = model_->prepare(encoded);
        DecoderState state = model_->initial_state(encoded);
        const at::Tensor logits = read_tensor(sentence["logits"]);
        for (std::int64_t t = 0; t < batch.target_in.size(1); ++t) {
            const TargetStep step = model_->step(batch.target_in.select(1, t), memory, state);
            state = step.state;
            EXPECT_LE(largest_difference(step.logits[0], logits[t]), 1e-9) << "step " << t;
            ASSERT_EQ(step.weights.defined(), sentence.contains("weights"));
            if (step.weights.defined()) {
                EXPECT_LE(largest_difference(step.weights[0], read_tensor(sentence["weights"])[t]), 1e-9);
            }
        }
    }
}

TEST_P(GoldenTest, LogProbabilityAndObjective) {
    double log_prob = 0.0;
    double objective = 0.0;
    std::vector<Pair> pairs;
    for (const json& sentence : figures_["sentences"]) {
        pairs.push_back(read_pair(sentence));
        const Loss loss = model_->loss(make_tensors({pairs.back()}), 0.1, nullptr);
        EXPECT_NEAR(-loss.negative_log_prob.item<double>(), sentence["log_prob"].get<double>(), 1e-9);
        EXPECT_NEAR(loss.objective.item<double>(), sentence["objective"].get<double>(), 1e-9);
        log_prob += sentence["log_prob"].get<double>();
        objective += sentence["objective"].get<double>();
    }
    const Loss together = model_->loss(make_tensors(pairs), 0.1, nullptr);
    EXPECT_NEAR(-together.negative_log_prob.item<double>(), log_prob, 1e-9);
    EXPECT_NEAR(together.objective.item<double>(), objective, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest,
                         testing::Values("gru_before_additive", "lstm_after_general_feeding",
                                         "layer_norm_gru_before_concat", "layer_norm_lstm_after_dot",
                                         "gru_before_none"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace softalign
