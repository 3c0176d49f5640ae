#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "model/encoder.h"

namespace softalign {

// No layers at all: the annotations are what the source is embedded as, such as the projected features of a picture (Xu
// et al. 2015, section 3.1.1). It knows nothing of order.
class PlainEncoder : public Encoder {
public:
    explicit PlainEncoder(const ModelConfig& config)
        : size_(config.embedding_size), drop_context_(config.dropout.context) {}

    Encoded encode(const SourceBatch& source, const Execution& execution) const override;
    std::int64_t annotation_size() const override { return size_; }
    std::vector<PartWork> work(const BatchShape& /*on*/) const override { return {}; }

private:
    std::int64_t size_;  // E
    double drop_context_;
};

}  // namespace softalign
