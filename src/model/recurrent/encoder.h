#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/encoder.h"
#include "model/recurrent/cell.h"
#include "ops/execution.h"

namespace softalign {

class SelfAttentionLayer;

// n recurrent layers, each in one direction or two (Bahdanau et al. 2014, section 3.2: h_j = [forward_j ; backward_j]).
// Padding is skipped (ops/packed_rows.h); the backward direction starts at the last true token. Layers of
// self-attention may follow. With config.encoder.alternating there are two stacks instead, which meet only at the top:
// one whose layers read forwards, backwards, forwards and so on, and one the other way. A reversed source (Sutskever et
// al. 2014) is read from the last word to the first, with the end of sentence still last; the output is in text order
// again. Each row of a grid is a sequence of its own.
class RecurrentEncoder : public Encoder {
public:
    explicit RecurrentEncoder(const ModelConfig& config);

    Encoded encode(const SourceBatch& source, const Execution& execution) const override;

    std::int64_t annotation_size() const override { return annotation_size_; }

    // "encoder inputs", "encoder states", "self-attention".
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    // Of layers that alternate, `forward` is the layer of the stack whose lowest one reads forwards.
    struct Layer {
        std::shared_ptr<RecurrentCell> forward;
        std::shared_ptr<RecurrentCell> backward;  // null if there is only one direction
    };

    // The recurrent layers: embedded [P,E] -> states [P,D] of the top one, both packed; the summary without the mean,
    // of the rows `summarised` [B] int64 of the first step.
    at::Tensor run_layers(const at::Tensor& embedded, const PackedRows& rows, const at::Tensor& summarised,
                          const Execution& execution, Summary& summary) const;

    // The same for layers that alternate.
    at::Tensor run_stacks(const at::Tensor& embedded, const PackedRows& rows, const at::Tensor& summarised,
                          const Execution& execution, Summary& summary) const;

    // The same in the rectangle: [B,S,E] -> [B,S,D].
    at::Tensor read_sentences(const SourceBatch& source, const Execution& execution, Summary& summary) const;
    // From left to right, and the other way, through each row of every grid; the summary is of the last row.
    at::Tensor read_lines(const SourceBatch& source, const Execution& execution, Summary& summary) const;

    EncoderConfig config_;
    DropoutConfig dropout_;
    std::int64_t annotation_size_;
    std::vector<Layer> layers_;
    std::vector<std::shared_ptr<SelfAttentionLayer>> self_attention_;
};

}  // namespace softalign
