// The optimisers of golden/optimizers.json, which golden/make_optimizers.py computed with PyTorch's own.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/schema.h"
#include "train/optimizer.h"

namespace softalign {
namespace {

using nlohmann::json;

const json& golden() {
    static const json figures = [] {
        std::ifstream file(std::string(SOFTALIGN_SOURCE_DIR) + "/tests/train/golden/optimizers.json");
        return json::parse(file);
    }();
    return figures;
}

OptimizerConfig read_config(const json& values) {
    Config config;
    for (const auto& [name, value] : values.items()) {
        const Key* key = find_key("training.optimizer." + name);
        if (key == nullptr) {
            throw std::runtime_error("optimizers.json has a key that there is not: " + name);
        }
        key->set(config, value.is_string() ? Value(value.get<std::string>()) : Value(value.get<double>()));
    }
    return config.training.optimizer;
}

// y = v . tanh(U x + b) + c: U [6,4], b [6], v [6], c [1] in one vector; the mean squared error over eight rows.
at::Tensor loss_of(const at::Tensor& weights) {
    const at::Tensor rows = at::arange(8, at::kDouble).unsqueeze(1);
    const at::Tensor x = at::sin(1.3 * rows + 0.9 * at::arange(4, at::kDouble)).to(weights.scalar_type());
    const at::Tensor y = at::cos(2.1 * rows.squeeze(1)).to(weights.scalar_type());
    const at::Tensor hidden = at::tanh(x.mm(weights.narrow(0, 0, 24).view({6, 4}).t()) + weights.narrow(0, 24, 6));
    return (hidden.mv(weights.narrow(0, 30, 6)) + weights[36] - y).pow(2).mean();
}

// In two ranges, as the threads of a run share the weights.
void expect_golden(const json& figures, at::ScalarType type, double tolerance) {
    const OptimizerConfig config = read_config(figures["optimizer"]);
    at::Tensor weights = (0.6 * at::sin(0.7 * at::arange(37, at::kDouble) + 1.0)).to(type);
    Optimizer optimizer(config, weights);
    for (int t = 1; t <= 10; ++t) {
        const at::Tensor leaf = weights.detach().requires_grad_(true);
        const at::Tensor gradient = torch::autograd::grad({loss_of(leaf)}, {leaf}).front();
        const at::NoGradGuard no_grad;
        optimizer.update(weights, gradient, 0, 19, config.learning_rate, t);
        optimizer.update(weights, gradient, 19, 18, config.learning_rate, t);
        const auto found = figures["weights"].find(std::to_string(t));
        if (found != figures["weights"].end()) {
            const at::Tensor expected = at::tensor(found->get<std::vector<double>>(), at::kDouble);
            EXPECT_LE((weights.to(at::kDouble) - expected).abs().max().item<double>(), tolerance) << "update " << t;
        }
    }
}

class OptimizerGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(OptimizerGoldenTest, TenUpdatesArePyTorchs) {
    expect_golden(golden()[GetParam()], at::kDouble, 1e-10);
}

TEST_P(OptimizerGoldenTest, TenUpdatesArePyTorchsInFloat) {
    expect_golden(golden()[GetParam()], at::kFloat, 5e-6);
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const auto& item : golden().items()) {
        result.push_back(item.key());
    }
    return result;
}

INSTANTIATE_TEST_SUITE_P(All, OptimizerGoldenTest, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace softalign
