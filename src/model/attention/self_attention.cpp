#include "model/attention/self_attention.h"

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

}  // namespace softalign
