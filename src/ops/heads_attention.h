#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "ops/execution.h"

namespace softalign {

// Attention with h query heads and g key and value heads of a numbers each: head i reads key and value head
// floor(i / (h / g)) and gives softmax(q_i K' / sqrt(a)) V (Vaswani et al. 2017, section 3.2; Shazeer 2019; Ainslie et
// al. 2023).
struct HeadsForm {
    std::int64_t heads = 1;   // h
    std::int64_t groups = 1;  // g, divides h
    bool causal = false;      // query t of a sequence sees its keys 0 .. t + key_length - query_length
    double dropout = 0.0;     // of the weights, where there is noise; each mask is new
};

// The rows of q, and the rows of k and v, of each sequence [N], on the host. Query ranges do not overlap. A key range
// may belong to several sequences, as to the hypotheses of one sentence.
struct Sequences {
    std::vector<std::int64_t> query_begin;
    std::vector<std::int64_t> query_length;
    std::vector<std::int64_t> key_begin;
    std::vector<std::int64_t> key_length;
};

// q [Pq, h a], k and v [Pk, g a], where stride(1) == 1 -> [Pq, h a]; zeros for queries that see no key or belong to no
// sequence. Where has_fused_form(), flash attention (kernels/flash_attention.h): the weights are never stored, and the
// backward pass keeps the result and one number for each query and head. Elsewhere the plain form.
at::Tensor heads_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Sequences& sequences,
                           const HeadsForm& form, Noise* noise);

// The same, with the same dropout masks, with ATen's differentiable operations on padded rectangles: the reference
// against which tests check the fused form, and the form for other devices.
at::Tensor heads_attention_plain(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const Sequences& sequences, const HeadsForm& form, Noise* noise);

// The weights without dropout, the mean over the heads: [Pq,width], column s for key s of the query's sequence, zeros
// where there is none. Differentiable; the fused form serves where no gradient is recorded. REQUIRES: no sequence has
// more than `width` keys.
at::Tensor heads_weights(const at::Tensor& q, const at::Tensor& k, const Sequences& sequences, const HeadsForm& form,
                         std::int64_t width);

// The same with ATen's operations.
at::Tensor heads_weights_plain(const at::Tensor& q, const at::Tensor& k, const Sequences& sequences,
                               const HeadsForm& form, std::int64_t width);

}  // namespace softalign
