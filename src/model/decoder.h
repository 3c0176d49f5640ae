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

// What a decoder reads at every step of a batch: keys, values, anything that depends on the source alone. A value that
// never changes, one row per sentence or per hypothesis, of which only its decoder knows what is in it.
class DecoderMemory {
public:
    virtual ~DecoderMemory() = default;

    // A copy whose row i is the row rows[i]. rows [N] int64 on the host.
    virtual std::shared_ptr<const DecoderMemory> select(const at::Tensor& rows) const = 0;

    // The same for steps without gradients, and without copying where the decoder has such a form. What it returns can
    // be shared and selected from like any other.
    virtual std::shared_ptr<const DecoderMemory> share(const at::Tensor& rows) const { return select(rows); }
};

// What a decoder carries from one step to the next: recurrent states, coverage, a cache of keys and values. A value as
// DecoderMemory is.
class DecoderState {
public:
    virtual ~DecoderState() = default;
    virtual std::shared_ptr<const DecoderState> select(const at::Tensor& rows) const = 0;
};

using MemoryPtr = std::shared_ptr<const DecoderMemory>;
using StatePtr = std::shared_ptr<const DecoderState>;

// T steps of N rows, time first.
struct DecoderSteps {
    at::Tensor readouts;  // [T,N,R], before the output projection, without dropout
    at::Tensor weights;   // [T,N,S] of the attention that alignments come from; undefined without one or unwanted
    StatePtr state;       // after the last step
};

// The target words of a batch under teacher forcing, and what of them is to be computed.
struct TaughtWords {
    const at::Tensor& embedded;  // [P,E] of the words before the true ones
    const PackedRows& rows;      // how they are packed
    Weights weights = Weights::unwanted;
};

// Teacher forcing without padding; packed.
struct TaughtSteps {
    at::Tensor readouts;  // [P,R] of the true words
    at::Tensor weights;   // [P,S] as in DecoderSteps, differentiable; undefined where unwanted
};

class Decoder : public Part {
public:
    virtual MemoryPtr prepare(const Encoded& encoded, const Execution& execution) const = 0;

    // `memory` for steps with several rows per sentence, worthwhile from three rows on: what can be computed once per
    // sentence instead of once per row. The memory itself if there is no such form.
    virtual MemoryPtr prepare_for_many(const MemoryPtr& memory, const Execution& /*execution*/) const { return memory; }

    virtual StatePtr start(const Encoded& encoded, const Execution& execution) const = 0;

    // embedded [T,N,E]: for each step the target word before it. T = 1 in search, a whole sentence under teacher
    // forcing. REQUIRES: memory and state are this decoder's.
    virtual DecoderSteps step(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                              Weights weights, const Execution& execution) const = 0;

    // Here by step(); for decoders that have a faster form to replace.
    virtual TaughtSteps teacher_forced(const TaughtWords& words, const DecoderMemory& memory, const DecoderState& state,
                                       const Execution& execution) const;

    // Whether steps have attention weights.
    virtual bool has_attention() const = 0;

    // R, the width of a readout.
    virtual std::int64_t readout_size() const = 0;

    // The products of prepare, start and teacher forcing, always the same parts in the same order.
    virtual std::vector<PartWork> work(const BatchShape& on) const = 0;
};

// The decoder that the configuration names, for annotations of that width. REQUIRES: the configuration was checked.
std::shared_ptr<Decoder> make_decoder(const ModelConfig& config, std::int64_t annotation_size);

}  // namespace softalign
