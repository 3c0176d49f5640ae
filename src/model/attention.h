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
    at::Tensor keys;  // what scores are taken against, [B,S,·], or [B,g,S,·] with heads; undefined where there are none
    at::Tensor values;  // what is averaged, [B,S,D], or [B,g,S,·] with heads; [B,D] for the mechanism `none`
    at::Tensor mask;    // [B,S] bool, true = token
    at::Tensor extra;   // what else a mechanism needs, one row a sentence; undefined for most
    // [N] int64 on the CPU: the sentence that each query reads; undefined = query i reads sentence i. Only for
    // mechanisms that share a memory.
    at::Tensor rows{};
    // Whether the values are no longer annotations but what the decoder makes of them (Decoder::project_values).
    bool projected = false;

    // A copy with row i that of sentence rows[i].
    AttentionMemory select(const at::Tensor& rows) const;
    // The same without the copy.
    AttentionMemory shared(const at::Tensor& rows) const;
};

// What a mechanism carries from one target step to the next.
struct AttentionState {
    std::int64_t position = 0;  // the target step of the next query, from 0; the same for all rows
    at::Tensor coverage;  // [N,S] how much each position was attended so far; undefined = not at all, or not counted

    AttentionState select(const at::Tensor& rows) const;
};

// Whether the caller reads the weights. A mechanism that can do without computing them may leave them undefined where
// they are not wanted.
enum class Weights { wanted, unwanted };

struct AttentionResult {
    at::Tensor context;  // [B,Tq,C]
    // [B,Tq,S], 0 at padding, rows sum to 1 (local_p: to 1 or less); the mean over the heads. Undefined for `none`.
    at::Tensor weights;
};

// One attention mechanism. `attend` takes one query a target step: Tq = 1 inside a loop over time, Tq = T where the
// query does not depend on the context, so that a whole sentence is one call.
class Attention : public torch::nn::Module {
public:
    virtual AttentionMemory prepare(const EncoderOutput& encoded) const = 0;

    // query [B,Tq,Q]: the target steps state.position, state.position + 1, ...; the state moves on by Tq.
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                           Weights weights) const;

    // C, the width of a context.
    std::int64_t context_size() const { return context_size_; }

    // Whether a step needs what the steps before it attended to, so that Tq must be 1.
    virtual bool sequential() const { return false; }

    // Whether several queries may read one sentence's memory without copies of it (AttentionMemory::rows), where no
    // gradients are recorded.
    virtual bool shares(const AttentionMemory& /*memory*/) const { return false; }

protected:
    explicit Attention(std::int64_t context_size) : context_size_(context_size) {}

private:
    virtual AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                                    Weights weights) const = 0;

    std::int64_t context_size_;
};

// query_size Q is the decoder's hidden size, annotation_size D the width of an annotation.
// REQUIRES: the configuration was checked (dot needs Q = D).
std::shared_ptr<Attention> make_attention(const AttentionConfig& config, std::int64_t query_size,
                                          std::int64_t annotation_size);

// Softmax over the positions that `allowed` lets through. scores [B,Tq,S], allowed bool, broadcast to it.
// REQUIRES: every row has one.
at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& allowed);

}  // namespace softalign
