#include "train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace softalign {
namespace {

constexpr std::int64_t elements = 7;
constexpr int updates = 5;
constexpr double rate = 0.05;

at::Tensor gradient_of(int update) {
    return at::sin(at::arange(elements, at::kDouble) * 1.7 + update) * (update == 2 ? 10.0 : 1.0);
}

// Weights after `updates` updates by the optimiser, in two ranges.
at::Tensor run(const OptimizerConfig& config) {
    at::Tensor weights = at::cos(at::arange(elements, at::kDouble));
    Optimizer optimizer(config, weights);
    for (int t = 1; t <= updates; ++t) {
        at::Tensor gradient = gradient_of(t);
        optimizer.update(weights, gradient, 0, 3, rate, t);
        optimizer.update(weights, gradient, 3, elements - 3, rate, t);
    }
    return weights;
}

// The same by plain loops over one number at a time; `step` gets (w, g, state a, state b, t).
template <typename Step>
void expect_plain(const OptimizerConfig& config, Step step) {
    const at::Tensor found = run(config);
    for (std::int64_t i = 0; i < elements; ++i) {
        double w = std::cos(static_cast<double>(i));
        double a = 0.0;
        double b = 0.0;
        for (int t = 1; t <= updates; ++t) {
            const double g = gradient_of(t)[i].item<double>() + config.l2 * w;
            step(w, g, a, b, t);
        }
        EXPECT_NEAR(found[i].item<double>(), w, 1e-12) << "element " << i;
    }
}

TEST(Optimizer, sgd_with_l2) {
    OptimizerConfig config;
    config.type = OptimizerType::sgd;
    config.l2 = 0.1;
    expect_plain(config, [](double& w, double g, double&, double&, int) { w -= rate * g; });
}

TEST(Optimizer, sgd_with_momentum) {
    OptimizerConfig config;
    config.type = OptimizerType::sgd;
    config.momentum = 0.9;
    expect_plain(config, [](double& w, double g, double& v, double&, int) {
        v = 0.9 * v + g;
        w -= rate * v;
    });
}

const auto adam = [](double& w, double g, double& m, double& v, int t) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= rate * (m / (1.0 - std::pow(0.9, t))) / (std::sqrt(v / (1.0 - std::pow(0.999, t))) + 1e-8);
};

TEST(Optimizer, adam) {
    expect_plain(OptimizerConfig{}, adam);
}

TEST(Optimizer, adamw_decays_the_weights_apart_from_the_gradient) {
    OptimizerConfig config;
    config.type = OptimizerType::adamw;
    config.weight_decay = 0.3;
    expect_plain(config, [](double& w, double g, double& m, double& v, int t) {
        w *= 1.0 - rate * 0.3;
        adam(w, g, m, v, t);
    });
}

TEST(Optimizer, adadelta) {
    OptimizerConfig config;
    config.type = OptimizerType::adadelta;
    config.epsilon = 1e-6;
    expect_plain(config, [](double& w, double g, double& squares, double& steps, int) {
        squares = 0.95 * squares + 0.05 * g * g;
        const double d = std::sqrt((steps + 1e-6) / (squares + 1e-6)) * g;
        steps = 0.95 * steps + 0.05 * d * d;
        w -= rate * d;
    });
}

}  // namespace
}  // namespace softalign
