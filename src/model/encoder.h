#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/grid.h"
#include "config/config.h"
#include "model/part.h"
#include "model/source/source.h"
#include "ops/execution.h"

namespace softalign {

// What a decoder may start from. An encoder leaves undefined or empty what it does not have; the rules of the
// configuration (config/rules_model.cpp) refuse a decoder that needs it.
struct Summary {
    at::Tensor mean;                 // [B,D]: mean of the annotations over the tokens; every encoder has it
    at::Tensor last;                 // [B,D]: forward state after the last token; backward state after the first
    std::vector<at::Tensor> hidden;  // [B,H] of each layer in the forward direction: after the last token
    std::vector<at::Tensor> cell;    // [B,H] likewise, of an LSTM
};

// A batch as its encoder sees it, and as attentions and decoders read it.
struct Encoded {
    at::Tensor annotations;             // [B,S,D], exactly 0 at padding
    std::vector<std::int64_t> lengths;  // [B] on the host: the true positions of each row, which come first
    std::vector<Grid> grids;            // [B] that the true positions form, row after row; empty for sequences
    at::Tensor mask;                    // [B,S] bool, true = token
    Summary summary;
    at::Tensor embedded;  // [B,S,E] the features that the encoder read, with their dropout
};

class Encoder : public Part {
public:
    // source: features [B,S,E].
    virtual Encoded encode(const SourceBatch& source, const Execution& execution) const = 0;

    // D, the width of an annotation.
    virtual std::int64_t annotation_size() const = 0;

    // The products of an encoding, always the same parts in the same order.
    virtual std::vector<PartWork> work(const BatchShape& on) const = 0;
};

// What every encoder ends with: dropout on the annotations [B,S,D], which are 0 at padding, and their mean as the
// summary. source: the features that it read.
Encoded finish_encoding(const at::Tensor& annotations, const SourceBatch& source, double drop,
                        const Execution& execution, Summary summary = {});

// The encoder that the configuration names. REQUIRES: the configuration was checked.
std::shared_ptr<Encoder> make_encoder(const ModelConfig& config);

}  // namespace softalign
