#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace softalign {

// Softmax over the positions where `allowed` is true. scores [B,Tq,S], allowed bool, broadcast to it.
// REQUIRES: every row has at least one such position.
at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& allowed);

// The scores of additive and concat attention: scores[b,t,s] = sum_a v[a] tanh(queries[b,t,a] + keys[b,s,a]).
// queries [B,Tq,A], keys [B,S,A], v [1,A] -> [B,Tq,S]. Where has_fused_form(), one loop without a [B,Tq,S,A] tensor:
// the backward pass recomputes tanh, which is cheaper than storing it. Elsewhere the plain form.
at::Tensor tanh_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v);

// The same with ATen's differentiable operations: the reference against which tests check the fused form.
at::Tensor tanh_scores_plain(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v);

struct AttentionResult {
    at::Tensor context;  // [B,Tq,C]
    at::Tensor weights;  // [B,Tq,S], 0 where a query sees nothing; undefined = not computed, or there are none
};

// Whether the caller reads the weights. If not, what can do without them may leave them undefined.
enum class Weights { wanted, unwanted };

// What the queries of additive attention read.
struct TanhMemory {
    const at::Tensor& keys;                    // [B,S,A]
    const at::Tensor& values;                  // [B,S,C]
    const at::Tensor& mask;                    // [B,S] bool, true = token
    const std::vector<std::int64_t>& lengths;  // [B] the number of tokens, which come first in each row
    const at::Tensor& rows;  // [N] int64 on the CPU: the sentence that each query reads; undefined = its own
};

// Softmax of tanh_scores over the tokens, then the weighted mean of the values. queries [N,Tq,A], v [1,A]. While no
// gradients are recorded and where has_fused_form(), handles one query at a time.
// REQUIRES: without that, no `rows`.
AttentionResult tanh_attention(const at::Tensor& queries, const at::Tensor& v, const TanhMemory& memory);

// The mean of the values under the softmax of q K' / sqrt(a) over the allowed positions, by LibTorch's own operation
// (flash attention where it has it), which gives no weights; undefined before LibTorch 2. queries [B,g,L,a], keys
// [B,g,S,a], values [B,g,S,·], allowed bool, broadcast to [B,g,L,S].
at::Tensor scaled_dot_context(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                              const at::Tensor& allowed);

}  // namespace softalign
