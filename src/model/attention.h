#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "config/config.h"
#include "model/encoder.h"

namespace softalign {

// What a mechanism keeps of a batch: everything that does not depend on the query, computed once.
struct AttentionMemory {
    at::Tensor keys;    // what scores are taken against, [B,S,·]; undefined where there are none
    at::Tensor values;  // [B,S,D], what is averaged; [B,D] for the mechanism `none`
    at::Tensor mask;    // [B,S] bool, true = token

    AttentionMemory select(const at::Tensor& rows) const;
};

struct AttentionResult {
    at::Tensor context;  // [B,Tq,D]
    at::Tensor weights;  // [B,Tq,S], 0 at padding, rows sum to 1; undefined for `none`
};

// One attention mechanism. `attend` takes one query a target step: Tq = 1 inside a loop over time, Tq = T where the
// query does not depend on the context, so that a whole sentence is one call.
class Attention : public torch::nn::Module {
public:
    virtual AttentionMemory prepare(const EncoderOutput& encoded) const = 0;
    virtual AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory) const = 0;  // query [B,Tq,Q]
};

// query_size Q is the decoder's hidden size, annotation_size D the width of an annotation.
// REQUIRES: the configuration was checked (dot needs Q = D).
std::shared_ptr<Attention> make_attention(const AttentionConfig& config, std::int64_t query_size,
                                          std::int64_t annotation_size);

// Weights and context from scores: softmax over the true positions, then the weighted mean of the values.
// scores [B,Tq,S].
AttentionResult attend_with_scores(const at::Tensor& scores, const AttentionMemory& memory);

}  // namespace softalign
