#include "model/transformer/layers.h"

#include <cstdint>

#include "ops/affine.h"

namespace softalign {

TransformerAttention::TransformerAttention(const TransformerConfig& config, std::int64_t size, std::int64_t memory_size,
                                           bool causal, double dropout) {
    form_.heads = config.heads;
    form_.groups = config.groups > 0 ? config.groups : config.heads;
    form_.causal = causal;
    form_.dropout = dropout;
    const std::int64_t shared = form_.groups * (size / form_.heads);
    weight_query_ = declare("weight_query", {size, size}, Role::matrix);
    weight_key_ = declare("weight_key", {shared, memory_size}, Role::matrix);
    weight_value_ = declare("weight_value", {shared, memory_size}, Role::matrix);
    weight_output_ = declare("weight_output", {size, size}, Role::matrix);
}

KeysValues TransformerAttention::read(const at::Tensor& x, const Execution& execution) const {
    return {affine(x, weight_key_, at::Tensor(), execution), affine(x, weight_value_, at::Tensor(), execution)};
}

at::Tensor TransformerAttention::attend(const at::Tensor& x, const KeysValues& memory, const Sequences& sequences,
                                        const Execution& execution, std::int64_t width, at::Tensor* weights) const {
    const at::Tensor queries = affine(x, weight_query_, at::Tensor(), execution);
    if (weights != nullptr) {
        *weights = heads_weights(queries, memory.keys, sequences, form_, width);
    }
    const at::Tensor heads = heads_attention(queries, memory.keys, memory.values, sequences, form_, execution.noise);
    return affine(heads, weight_output_, at::Tensor(), execution);
}

double TransformerAttention::reading_work(std::int64_t rows) const {
    return flop(rows, weight_key_) + flop(rows, weight_value_);
}

double TransformerAttention::attending_work(std::int64_t rows, std::int64_t pairs) const {
    return flop(rows, weight_query_) + 2.0 * flop(pairs, weight_query_.size(0)) + flop(rows, weight_output_);
}

FeedForward::FeedForward(const TransformerConfig& config, std::int64_t size, double dropout)
    : activation_(config.activation),
      dropout_(dropout),
      weight1_(declare("weight1", {config.feed_forward_size, size}, Role::matrix)),
      bias1_(declare("bias1", {config.feed_forward_size}, Role::bias)) {
    if (activation_ == Activation::swiglu) {
        weight3_ = declare("weight3", {config.feed_forward_size, size}, Role::matrix);
        bias3_ = declare("bias3", {config.feed_forward_size}, Role::bias);
    }
    weight2_ = declare("weight2", {size, config.feed_forward_size}, Role::matrix);
    bias2_ = declare("bias2", {size}, Role::bias);
}

at::Tensor FeedForward::forward(const at::Tensor& x, const Execution& execution) const {
    at::Tensor hidden = affine(x, weight1_, bias1_, execution);
    switch (activation_) {
        case Activation::relu:
            hidden = hidden.relu();
            break;
        case Activation::gelu:
            hidden = at::gelu(hidden);
            break;
        case Activation::swiglu:
            hidden = at::silu(hidden) * affine(x, weight3_, bias3_, execution);
            break;
    }
    return affine(dropout(hidden, dropout_, execution.noise), weight2_, bias2_, execution);
}

double FeedForward::work(std::int64_t rows) const {
    return flop(rows, weight1_) + flop(rows, weight2_) + flop(rows, weight3_);
}

}  // namespace softalign
