#pragma once

#include <ATen/ATen.h>

namespace softalign {

// The scores of additive and concat attention: scores[b,t,s] = sum_a v[a] tanh(queries[b,t,a] + keys[b,s,a]).
// queries [B,Tq,A], keys [B,S,A], v [1,A] -> [B,Tq,S]. On the CPU, one fused loop without a [B,Tq,S,A] tensor: the
// backward pass recomputes tanh, which is cheaper than storing it. Elsewhere the plain form.
at::Tensor tanh_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v);

// The same with ATen's differentiable operations: the reference against which tests check the fused form.
at::Tensor tanh_scores_plain(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v);

}  // namespace softalign
