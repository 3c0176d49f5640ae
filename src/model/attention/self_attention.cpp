#include "model/attention/self_attention.h"

#include <cmath>
#include <cstdint>
#include <memory>

#include "model/attention/mechanisms.h"

namespace softalign {

SelfAttentionLayer::SelfAttentionLayer(const SelfAttentionConfig& config, std::int64_t size) {
    HeadsShape shape;
    shape.query_size = size;
    shape.annotation_size = size;
    shape.size = size;
    shape.heads = config.heads;
    shape.groups = config.groups > 0 ? config.groups : config.heads;
    shape.causal = config.causal;
    shape.role = Role::matrix;
    attention_ = add_part("attention", std::make_shared<HeadsAttention>(shape));
    norm_ = add_part("norm", std::make_shared<LayerNorm>(size));
}

at::Tensor SelfAttentionLayer::forward(const Encoded& encoded, const Execution& execution) const {
    const at::Tensor& x = encoded.annotations;
    AttentionState start;
    const AttentionResult seen =
        attention_->attend(x, attention_->prepare(encoded, execution), start, Weights::unwanted, execution);
    return norm_->forward(x + seen.context);
}

double SelfAttentionLayer::work(const BatchShape& on) const {
    const AttentionWork attention = attention_->work({on.rows, on.source, on.source, 0});
    return attention.once + attention.steps;
}

at::Tensor sinusoids(std::int64_t length, std::int64_t size, const at::TensorOptions& options) {
    const auto type = options.requires_grad(false);
    const at::Tensor even = at::arange(0, size, 2, type);
    const at::Tensor angles =
        at::arange(length, type).unsqueeze(1) * (even * (-std::log(10000.0) / static_cast<double>(size))).exp();
    return at::stack({angles.sin(), angles.cos()}, 2).reshape({length, -1}).narrow(1, 0, size);
}

}  // namespace softalign
