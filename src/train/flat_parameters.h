#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "model/seq2seq.h"
#include "platform/memory.h"
#include "train/optimizer.h"

namespace softalign {

// All parameters of a model in one contiguous vector: the optimiser, clipping, averaging and checkpoints see plain
// ranges of numbers, and any number of replicas of the model read the same weights.
class FlatParameters {
public:
    // Moves the model's parameters into a vector on the model's device; the model then holds views of it.
    explicit FlatParameters(Seq2Seq& model);

    // A flat vector of zeros with the same layout.
    at::Tensor zeros() const;

    // Makes `replica` read its weights from `values` (a flat vector of this layout).
    void attach(Seq2Seq& replica, const at::Tensor& values) const;

    // Makes the backward pass add the gradients of `replica` into `gradients` (a flat vector of this layout).
    void attach_gradients(Seq2Seq& replica, const at::Tensor& gradients) const;

    // The named parts of a flat vector, as views.
    std::vector<std::pair<std::string, at::Tensor>> parts(const at::Tensor& flat) const;

    // Where the parameter of a name lies in a flat vector.
    struct Part {
        std::string name;
        std::int64_t begin;
        std::vector<std::int64_t> sizes;
        std::int64_t count;
    };
    const std::vector<Part>& layout() const { return parts_; }

    const at::Tensor& values() const { return values_; }
    std::int64_t size() const { return values_.numel(); }

private:
    at::Tensor view(const at::Tensor& flat, const Part& part) const;

    std::vector<Part> parts_;
    at::Tensor values_;  // [P]
};

// The vectors that training changes: the weights of a model, the optimiser's state, and the moving average.
struct TrainingVectors {
    // Moves the model's parameters into them; the average starts as the weights.
    TrainingVectors(const TrainingConfig& config, Seq2Seq& model)
        : parameters(model),
          optimizer(config.optimizer, parameters.values()),
          average(config.ema > 0.0 ? untouched_zeros(parameters.values()).copy_(parameters.values()) : at::Tensor()) {}

    FlatParameters parameters;
    Optimizer optimizer;
    at::Tensor average;  // undefined without EMA

    // The weights used for validation, translation and best models: the average if there is one, else the weights.
    const at::Tensor& evaluated() const { return average.defined() ? average : parameters.values(); }
};

}  // namespace softalign
