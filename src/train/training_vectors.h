#pragma once

#include <ATen/ATen.h>

#include "config/config.h"
#include "model/seq2seq.h"
#include "train/flat_parameters.h"
#include "train/optimizer.h"

namespace softalign {

// The vectors that training changes: the weights of a model, the optimiser's state, and the moving average.
struct TrainingVectors {
    // Moves the model's parameters into them; the average starts as the weights.
    TrainingVectors(const TrainingConfig& config, Seq2Seq& model)
        : parameters(model),
          optimizer(config.optimizer, parameters.values()),
          average(config.ema > 0.0 ? parameters.values().clone() : at::Tensor()) {}

    FlatParameters parameters;
    Optimizer optimizer;
    at::Tensor average;  // undefined without EMA

    // The weights used for validation, translation and best models: the average if there is one, else the weights.
    const at::Tensor& evaluated() const { return average.defined() ? average : parameters.values(); }
};

}  // namespace softalign
