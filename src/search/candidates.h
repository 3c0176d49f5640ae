#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace softalign {

// The tokens that a search may write for each sentence of a batch, a small part of the vocabulary. The logits of all of
// them are computed together for the whole batch; the mask hides from each sentence the tokens of the others, so that a
// result does not depend on the rest of the batch.
struct Candidates {
    at::Tensor ids;   // [K] int64, ascending: the candidates of any sentence
    at::Tensor mask;  // [B,K] bool, true = a candidate of this sentence
};

// of_sentences: the candidates of each sentence, in any order, perhaps repeated. REQUIRES: each has at least one.
Candidates make_candidates(const std::vector<std::vector<std::int32_t>>& of_sentences, const at::Device& device);

// The log-probabilities of all V tokens for N rows: [N,V] float32, natural logarithms of probabilities that sum to 1
// over the candidates of a row, minus infinity elsewhere. logits [N,K] of the tokens ids [K]; mask [N,K] bool, true = a
// candidate of this row.
at::Tensor candidate_log_probs(const at::Tensor& logits, const at::Tensor& ids, const at::Tensor& mask,
                               std::int64_t vocabulary);

}  // namespace softalign
