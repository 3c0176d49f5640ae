#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/encoder.h"
#include "model/part.h"
#include "ops/attention.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

// What a mechanism computes once per batch: everything that does not depend on the query.
struct AttentionMemory {
    // With heads, keys and values are [B,g,S,·] where there is no fused form.
    at::Tensor keys;                    // compared with the queries, [B,S,·]; undefined if there are none
    at::Tensor values;                  // averaged by the weights, [B,S,·]; [B,D] for the mechanism `none`
    at::Tensor mask;                    // [B,S] bool, true = token
    std::vector<std::int64_t> lengths;  // [B] the number of tokens, which come first
    at::Tensor extra{};                 // anything else a mechanism needs, one row per sentence; usually undefined
    // [N] int64 on the host: the sentence that each query reads; undefined = query i reads sentence i. Only for
    // mechanisms that can share a memory (Attention::shares).
    at::Tensor rows{};

    // A copy whose row i is the row rows[i] of this, which may be shared itself. rows [N] int64 on the host.
    AttentionMemory select(const at::Tensor& rows) const;
    // The same without copying.
    AttentionMemory shared(const at::Tensor& rows) const;
    // A view of the first `count` rows. REQUIRES: this is not shared.
    AttentionMemory first(std::int64_t count) const;
};

// What a mechanism carries from one target step to the next.
struct AttentionState {
    std::int64_t position = 0;  // the target step of the next query, from 0; the same for all rows
    at::Tensor coverage;        // [N,S] attention each position got so far; undefined = none yet, or not tracked

    // rows [N] int64 on the device of the coverage.
    AttentionState select(const at::Tensor& rows) const;
    AttentionState first(std::int64_t count) const { return {position, first_rows(coverage, count)}; }
};

// The matrix products of a mechanism in a batch, in floating-point operations.
struct AttentionWork {
    double once = 0.0;   // prepare
    double steps = 0.0;  // attend, at all target steps
};

// One attention mechanism. `attend` takes one query per target step: Tq = 1 inside a loop over time, or Tq = T for a
// whole sentence at once if the queries do not depend on the contexts.
class Attention : public Part {
public:
    virtual AttentionMemory prepare(const Encoded& encoded, const Execution& execution) const = 0;

    // query [B,Tq,Q]: the target steps state.position, state.position + 1, ...; advances the state by Tq. The weights
    // of a query sum to 1 (local_p: to 1 or less), and are the mean over the heads; undefined for `none`.
    AttentionResult attend(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                           Weights weights, const Execution& execution) const;

    // C, the width of a context.
    std::int64_t context_size() const { return context_size_; }

    // Whether a step depends on the attention of earlier steps, so that Tq must be 1.
    virtual bool sequential() const { return false; }

    // Whether several queries can read one sentence's memory without copying it (AttentionMemory::rows), as long as no
    // gradients are recorded.
    virtual bool shares(const AttentionMemory& /*memory*/) const { return false; }

    virtual AttentionWork work(const BatchShape& on) const = 0;

    // Whether queries have weights at all.
    virtual bool has_weights() const { return true; }

protected:
    explicit Attention(std::int64_t context_size) : context_size_(context_size) {}

private:
    virtual AttentionResult compute(const at::Tensor& query, const AttentionMemory& memory, AttentionState& state,
                                    Weights weights, const Execution& execution) const = 0;

    std::int64_t context_size_;
};

// query_size Q is the decoder's hidden size, annotation_size D the width of an annotation.
// REQUIRES: the configuration was checked (dot needs Q = D).
std::shared_ptr<Attention> make_attention(const AttentionConfig& config, std::int64_t query_size,
                                          std::int64_t annotation_size);

}  // namespace softalign
