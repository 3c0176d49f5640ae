#include "train/optimizer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/updates.h"
#include "platform/memory.h"

namespace softalign {

Optimizer::Optimizer(const OptimizerConfig& config, const at::Tensor& like) : config_(config) {
    if (config.type != OptimizerType::sgd || config.momentum > 0.0) {
        first_ = untouched_zeros(like);
    }
    if (config.type != OptimizerType::sgd) {
        second_ = untouched_zeros(like);
    }
}

std::vector<std::pair<std::string, at::Tensor>> Optimizer::state() const {
    std::vector<std::pair<std::string, at::Tensor>> result;
    if (first_.defined()) {
        result.emplace_back("first", first_);
    }
    if (second_.defined()) {
        result.emplace_back("second", second_);
    }
    return result;
}

void Optimizer::update(const at::Tensor& weights, const at::Tensor& gradient, std::int64_t begin, std::int64_t count,
                       double learning_rate, std::int64_t t) {
    at::Tensor w = weights.narrow(0, begin, count);
    at::Tensor g = gradient.narrow(0, begin, count);
    const bool adamw = config_.type == OptimizerType::adamw;
    if (adamw || config_.type == OptimizerType::adam) {
        AdamSettings settings;
        settings.rate = learning_rate;
        settings.beta1 = config_.beta1;
        settings.beta2 = config_.beta2;
        settings.epsilon = config_.epsilon;
        settings.l2 = config_.l2;
        settings.weight_decay = adamw ? config_.weight_decay : 0.0;
        settings.t = t;
        update_adam(settings, w, g, first_.narrow(0, begin, count), second_.narrow(0, begin, count));
        return;
    }
    if (config_.l2 > 0.0) {
        g.add_(w, config_.l2);
    }
    if (config_.type == OptimizerType::sgd) {
        update_sgd(w, g, begin, count, learning_rate);
    } else {
        update_adadelta(w, g, begin, count, learning_rate);
    }
}

void Optimizer::update_sgd(at::Tensor& w, at::Tensor& g, std::int64_t begin, std::int64_t count, double rate) {
    if (first_.defined()) {
        at::Tensor velocity = first_.narrow(0, begin, count);
        velocity.mul_(config_.momentum).add_(g);
        w.sub_(velocity, rate);
    } else {
        w.sub_(g, rate);
    }
}

void Optimizer::update_adadelta(at::Tensor& w, at::Tensor& g, std::int64_t begin, std::int64_t count, double rate) {
    at::Tensor squares = first_.narrow(0, begin, count);
    at::Tensor steps = second_.narrow(0, begin, count);
    squares.mul_(config_.rho).addcmul_(g, g, 1.0 - config_.rho);
    g.mul_(steps.add(config_.epsilon).div_(squares.add(config_.epsilon)).sqrt_());
    steps.mul_(config_.rho).addcmul_(g, g, 1.0 - config_.rho);
    w.sub_(g, rate);
}

}  // namespace softalign
