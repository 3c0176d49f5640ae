#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/grid.h"
#include "config/config.h"
#include "model/convolutional/grid_convolutions.h"
#include "model/part.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

// The source side of a batch, always with its lengths, which nobody recovers from the values.
struct SourceBatch {
    at::Tensor values;  // ids [B,S] int64, at padding any that exists; or features [B,S,D], there anything
    std::vector<std::int64_t> lengths;  // [B] on the host: true positions of each row, which come first; at least 1
    // [B] whose positions, row after row, the true ones are: grids[b].positions() == lengths[b]. Empty for text.
    std::vector<Grid> grids{};

    std::int64_t sentences() const { return values.size(0); }                          // B
    std::int64_t width() const { return values.size(1); }                              // S
    at::Tensor mask() const { return token_mask(lengths, width(), values.device()); }  // [B,S] bool, true = token

    // Whether a grid has more than one row.
    bool has_planes() const;
    // The lengths of what is read from one end to the other: the rows of the grids, one grid after another; without
    // grids the sentences.
    std::vector<std::int64_t> lines() const;

    PackedRows packed(Reading reading = Reading::forwards) const {
        return pack_rows(lengths, width(), values.device(), reading);
    }
};

// What the corpus has on its source side, as the features that encoders read.
class SourceEmbedding : public Part {
public:
    // -> features [B,S',E] with the lengths and grids of embedded_grid().
    virtual SourceBatch embed(const SourceBatch& source, const Execution& execution) const = 0;

    // The grid of what is embedded of a grid of features, which may be coarser; and the same of a batch.
    virtual Grid embedded_grid(const Grid& source) const { return source; }
    BatchShape embedded_shape(BatchShape on) const;

    // The products of an embedding, always the same parts in the same order.
    virtual std::vector<PartWork> work(const BatchShape& /*on*/) const { return {}; }
};

// The embeddings of ids. The table belongs to the model, which may tie others to it.
class TokenEmbedding : public SourceEmbedding {
public:
    // table [V,E]
    TokenEmbedding(at::Tensor table, const DropoutConfig& dropout) : table_(std::move(table)), dropout_(dropout) {}

    SourceBatch embed(const SourceBatch& source, const Execution& execution) const override;

private:
    at::Tensor table_;
    DropoutConfig dropout_;
};

// Features of any width D, such as pixels or the annotations of another network (Xu et al. 2015), projected to the
// width that encoders read: x W^T + b. Convolutions may come first.
class FeatureEmbedding : public SourceEmbedding {
public:
    // Dropout is on the projection.
    FeatureEmbedding(const SourceConfig& config, std::int64_t embedding_size, const DropoutConfig& dropout);

    SourceBatch embed(const SourceBatch& source, const Execution& execution) const override;

    Grid embedded_grid(const Grid& source) const override;

    // "source convolutions", "features".
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    std::shared_ptr<GridConvolutions> convolutions_;  // null: none
    at::Tensor weight_;                               // [E,D], D as it comes out of the convolutions
    at::Tensor bias_;                                 // [E]
    DropoutConfig dropout_;
};

// Features if config.source.size is above 0, else words. table [V,E]: the parameter `source_embedding` of the model,
// which only words need.
std::shared_ptr<SourceEmbedding> make_source_embedding(const ModelConfig& config, const at::Tensor& table);

}  // namespace softalign
