#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/part.h"
#include "model/recurrent/cell.h"
#include "ops/execution.h"

namespace softalign {

class SelfAttentionLayer;
struct PackedRows;

// The encoder's output for a batch. D = hidden_size times the number of directions.
struct EncoderOutput {
    at::Tensor annotations;  // [B,S,D], exactly 0 at padding
    at::Tensor mask;         // [B,S] bool, true = token
    at::Tensor last;         // [B,D]: forward state after the last token; backward state after the first
    at::Tensor mean;         // [B,D]: mean of the annotations over the tokens
    std::vector<RecurrentState> final_states;  // of the forward direction, per layer: after the last token
};

// n recurrent layers, each in one direction or two (Bahdanau et al. 2014, section 3.2: h_j = [forward_j ; backward_j]).
// Padding is skipped (ops/packed_rows.h); the backward direction starts at the last true token. Layers of
// self-attention may follow. A reversed source (Sutskever et al. 2014) is read from the last word to the first, with
// the end of sentence still last; the output is in text order again.
class Encoder : public Part {
public:
    explicit Encoder(const ModelConfig& config);

    // embedded [B,S,E], mask [B,S] bool.
    EncoderOutput forward(const at::Tensor& embedded, const at::Tensor& mask, const Execution& execution) const;

    std::int64_t annotation_size() const { return annotation_size_; }

    // "encoder inputs", "encoder states", "self-attention".
    std::vector<PartWork> work(const BatchShape& on) const;

private:
    struct Layer {
        std::shared_ptr<RecurrentCell> forward;
        std::shared_ptr<RecurrentCell> backward;  // null if there is only one direction
    };

    // The recurrent layers: embedded [P,E] -> states [P,D] of the top one, both packed, with `last` and `final_states`.
    at::Tensor run_layers(const at::Tensor& embedded, const PackedRows& rows, const Execution& execution,
                          EncoderOutput& result) const;

    EncoderConfig config_;
    DropoutConfig dropout_;
    std::int64_t annotation_size_;
    std::vector<Layer> layers_;
    std::vector<std::shared_ptr<SelfAttentionLayer>> self_attention_;
};

}  // namespace softalign
