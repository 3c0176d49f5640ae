// The models of golden/figures.json, which golden/make_golden.py computed from the equations of docs/models.md with
// plain loops over numbers.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/schema.h"
#include "fixtures.h"
#include "ops/plain_execution.h"

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

Value read_value(const json& value) {
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_array()) {
        return value.get<std::vector<std::int64_t>>();
    }
    return value.get<std::string>();
}

// The keys inside `section`, under the names that they have in YAML.
void read_section(const json& values, const std::string& section, Config& config) {
    for (const auto& [name, value] : values.items()) {
        const std::string path = join_path(section, name);
        if (value.is_object()) {
            read_section(value, path, config);
            continue;
        }
        const Key* key = find_key(path);
        if (key == nullptr) {
            throw std::runtime_error("figures.json has a key that there is not: " + path);
        }
        key->set(config, read_value(value));
    }
}

ModelConfig read_config(const json& values) {
    Config config;
    read_section(values, "model", config);
    return config.model;
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

Example read_example(const json& sentence) {
    Example example;
    example.target = sentence["target"].get<std::vector<std::int32_t>>();
    const json& source = sentence["source"];
    if (source.is_array()) {
        example.source = source.get<std::vector<std::int32_t>>();
        return example;
    }
    for (const auto& vector : source["vectors"].get<std::vector<std::vector<float>>>()) {
        example.features.values.insert(example.features.values.end(), vector.begin(), vector.end());
    }
    const auto positions = static_cast<std::int64_t>(source["vectors"].size());
    const std::int64_t height = source["height"];
    example.features.grid = {height, positions / height};
    example.features.depth = static_cast<std::int64_t>(source["vectors"][0].size());
    return example;
}

TensorBatch batch_of(const std::vector<Example>& examples) {
    return to_tensors(make_batch(examples, SpecialIdPair{}), at::kCPU);
}

class GoldenTest : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        figures_ = golden().at(GetParam());
        const VocabularySizes sizes{figures_["source_size"], figures_["target_size"]};
        model_ = std::make_shared<Seq2Seq>(read_config(figures_["config"]), sizes);
        model_->to(at::kDouble);
        fill(*model_);
    }

    void expect_parameters() const;
    void expect_steps(const json& sentence) const;
    void expect_losses() const;

    json figures_;
    std::shared_ptr<Seq2Seq> model_;
};

void GoldenTest::expect_parameters() const {
    json shapes = json::object();
    for (const auto& item : model_->named_parameters()) {
        shapes[item.key()] = item.value().sizes().vec();
    }
    EXPECT_EQ(shapes, figures_["parameters"]);
}

// A step at a time, as search goes: in the order of writing.
void GoldenTest::expect_steps(const json& sentence) const {
    const at::NoGradGuard no_grad;
    Example example = read_example(sentence);
    if (model_->config().decoder.reverse_target) {
        std::reverse(example.target.begin(), example.target.end());
    }
    const TensorBatch batch = batch_of({example});
    const Encoded encoded = model_->encode(batch.source, plain_execution);
    EXPECT_LE(largest_difference(encoded.annotations[0], read_tensor(sentence["annotations"])), 1e-9);
    const MemoryPtr memory = model_->decoder().prepare(encoded, plain_execution);
    StatePtr state = model_->decoder().start(encoded, plain_execution);
    const at::Tensor logits = read_tensor(sentence["logits"]);
    for (std::int64_t t = 0; t < batch.target_in.size(1); ++t) {
        const TargetStep step = model_->step(batch.target_in.select(1, t), *memory, *state, plain_execution);
        state = step.state;
        EXPECT_LE(largest_difference(step.logits[0], logits[t]), 1e-9) << "step " << t;
        ASSERT_EQ(step.weights.defined(), sentence.contains("weights"));
        if (step.weights.defined()) {
            EXPECT_LE(largest_difference(step.weights[0], read_tensor(sentence["weights"])[t]), 1e-9) << "step " << t;
        }
    }
}

// All steps together, as in training: each sentence by itself, then all in one padded batch.
void GoldenTest::expect_losses() const {
    double log_prob = 0.0;
    double objective = 0.0;
    std::vector<Example> examples;
    for (const json& sentence : figures_["sentences"]) {
        examples.push_back(read_example(sentence));
        const Loss loss = model_->loss(batch_of({examples.back()}), 0.1, plain_execution);
        EXPECT_NEAR(-loss.negative_log_prob.item<double>(), sentence["log_prob"].get<double>(), 1e-9);
        EXPECT_NEAR(loss.objective.item<double>(), sentence["objective"].get<double>(), 1e-9);
        log_prob += sentence["log_prob"].get<double>();
        objective += sentence["objective"].get<double>();
    }
    const Loss together = model_->loss(batch_of(examples), 0.1, plain_execution);
    EXPECT_NEAR(-together.negative_log_prob.item<double>(), log_prob, 1e-9);
    EXPECT_NEAR(together.objective.item<double>(), objective, 1e-9);
}

TEST_P(GoldenTest, IsReproduced) {
    expect_parameters();
    for (const json& sentence : figures_["sentences"]) {
        SCOPED_TRACE("source " + sentence["source"].dump());
        expect_steps(sentence);
    }
    expect_losses();
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const auto& [name, figures] : golden().items()) {
        result.push_back(name);
    }
    return result;
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace softalign
