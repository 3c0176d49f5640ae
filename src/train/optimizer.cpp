#include "train/optimizer.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/adam.h"

namespace softalign {

Optimizer::Optimizer(const OptimizerConfig& config, const at::Tensor& like) : config_(config) {
    if (config.type != OptimizerType::sgd || config.momentum > 0.0) {
        first_ = at::zeros_like(like);
    }
    if (config.type != OptimizerType::sgd) {
        second_ = at::zeros_like(like);
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
    const bool adam = config_.type == OptimizerType::adam || config_.type == OptimizerType::adamw;
    if (adam && w.device().is_cpu() && w.scalar_type() == at::kFloat) {
        return update_adam_at_once(w, g, begin, count, learning_rate, t);
    }
    if (config_.l2 > 0.0) {
        g.add_(w, config_.l2);
    }
    switch (config_.type) {
        case OptimizerType::sgd:
            return update_sgd(w, g, begin, count, learning_rate);
        case OptimizerType::adadelta:
            return update_adadelta(w, g, begin, count, learning_rate);
        case OptimizerType::adamw:
            w.mul_(1.0 - learning_rate * config_.weight_decay);
            return update_adam(w, g, begin, count, learning_rate, t);
        case OptimizerType::adam:
            return update_adam(w, g, begin, count, learning_rate, t);
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

void Optimizer::update_adam(at::Tensor& w, at::Tensor& g, std::int64_t begin, std::int64_t count, double rate,
                            std::int64_t t) {
    at::Tensor m = first_.narrow(0, begin, count);
    at::Tensor v = second_.narrow(0, begin, count);
    const double correction1 = 1.0 - std::pow(config_.beta1, static_cast<double>(t));
    const double correction2 = 1.0 - std::pow(config_.beta2, static_cast<double>(t));
    m.lerp_(g, 1.0 - config_.beta1);
    v.mul_(config_.beta2).addcmul_(g, g, 1.0 - config_.beta2);
    at::sqrt_out(g, v);  // the gradient is used up: its room takes the denominator
    g.div_(std::sqrt(correction2)).add_(config_.epsilon);
    w.addcdiv_(m, g, -rate / correction1);
}

void Optimizer::update_adam_at_once(at::Tensor& w, at::Tensor& g, std::int64_t begin, std::int64_t count, double rate,
                                    std::int64_t t) {
    const double correction1 = 1.0 - std::pow(config_.beta1, static_cast<double>(t));
    const double correction2 = 1.0 - std::pow(config_.beta2, static_cast<double>(t));
    const bool decays = config_.type == OptimizerType::adamw;
    AdamStep step{};
    step.rate = static_cast<float>(rate / correction1);
    step.share1 = static_cast<float>(1.0 - config_.beta1);
    step.beta2 = static_cast<float>(config_.beta2);
    step.share2 = static_cast<float>(1.0 - config_.beta2);
    step.correction2 = static_cast<float>(1.0 / std::sqrt(correction2));
    step.epsilon = static_cast<float>(config_.epsilon);
    step.l2 = static_cast<float>(config_.l2);
    step.decay = static_cast<float>(decays ? 1.0 - rate * config_.weight_decay : 1.0);
    adam_update(step, g.data_ptr<float>(), w.data_ptr<float>(), first_.data_ptr<float>() + begin,
                second_.data_ptr<float>() + begin, count);
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
