#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

namespace softalign {

// The optimisers on flat vectors. g is the gradient (with l2 * w added), t the update's number from 1.
//   sgd:      v = momentum v + g; w -= lr v (w -= lr g without momentum).
//   adam:     m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2;
//             w -= lr (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) + epsilon) (Kingma and Ba 2015).
//   adamw:    the same after w -= lr weight_decay w (Loshchilov and Hutter 2019).
//   adadelta: a = rho a + (1-rho) g^2; d = sqrt((b + epsilon) / (a + epsilon)) g; b = rho b + (1-rho) d^2; w -= lr d
//             (Zeiler 2012; lr = 1 there).
class Optimizer {
public:
    // `like`: a flat vector of the weights' size, type and device.
    Optimizer(const OptimizerConfig& config, const at::Tensor& like);

    // Updates elements [begin, begin + count) of `weights` from `gradient`, which it may overwrite. Ranges that do
    // not overlap may be updated by different threads at once.
    void update(const at::Tensor& weights, const at::Tensor& gradient, std::int64_t begin, std::int64_t count,
                double learning_rate, std::int64_t t);

    // The state vectors by name, for checkpoints: views that may be copied into.
    std::vector<std::pair<std::string, at::Tensor>> state() const;

private:
    void update_sgd(at::Tensor& w, at::Tensor& g, std::int64_t begin, std::int64_t count, double rate);
    void update_adadelta(at::Tensor& w, at::Tensor& g, std::int64_t begin, std::int64_t count, double rate);

    OptimizerConfig config_;
    at::Tensor first_;   // adam's m, adadelta's a, sgd's v; undefined where not used
    at::Tensor second_;  // adam's v, adadelta's b
};

}  // namespace softalign
