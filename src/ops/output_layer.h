#pragma once

#include <ATen/ATen.h>

#include "ops/execution.h"

namespace softalign {

// The last layer of a model, or the rows of it for some words: x -> W x + b, or, with a second matrix, [x ; x'] ->
// W x + W' x' + b.
struct OutputLayer {
    at::Tensor weight;    // W [V,R]
    at::Tensor bias;      // b [V]
    at::Tensor second{};  // W' [V,R']; undefined: none
};

// inputs [...,R] or [...,R+R'] -> logits [...,V].
at::Tensor output_logits(const at::Tensor& inputs, const OutputLayer& layer, const Execution& execution);

// The same without packed weights, for rows that are used for a few steps only.
at::Tensor output_logits(const at::Tensor& inputs, const OutputLayer& layer);

// Copies the rows of these words, with Precision::int8 rounded. ids [K] int64 on the layer's device.
OutputLayer rows_of_words(const OutputLayer& layer, const at::Tensor& ids, const Execution& execution);

}  // namespace softalign
