#include "model/source/source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ops/affine.h"
#include "ops/execution.h"

namespace softalign {

namespace {

at::Tensor drop(const at::Tensor& embedded, const DropoutConfig& dropout_config, const Execution& execution) {
    return dropout(drop_rows(embedded, dropout_config.source_words, execution.noise), dropout_config.source_embedding,
                   execution.noise);
}

}  // namespace

bool SourceBatch::has_planes() const {
    return std::any_of(grids.begin(), grids.end(), [](const Grid& grid) { return grid.height > 1; });
}

std::vector<std::int64_t> SourceBatch::lines() const {
    if (grids.empty()) {
        return lengths;
    }
    std::vector<std::int64_t> result;
    for (const Grid& grid : grids) {
        result.insert(result.end(), static_cast<std::size_t>(grid.height), grid.width);
    }
    return result;
}

SourceBatch TokenEmbedding::embed(const SourceBatch& source, const Execution& execution) const {
    return {drop(look_up(table_, source.values, execution), dropout_, execution), source.lengths, source.grids};
}

BatchShape SourceEmbedding::embedded_shape(BatchShape on) const {
    if (!on.grids.empty()) {
        on.source = 0;
        for (Grid& grid : on.grids) {
            grid = embedded_grid(grid);
            on.source = std::max(on.source, grid.positions());
        }
    }
    return on;
}

FeatureEmbedding::FeatureEmbedding(const SourceConfig& config, std::int64_t embedding_size,
                                   const DropoutConfig& dropout)
    : dropout_(dropout) {
    std::int64_t depth = config.size;
    if (!config.convolutions.channels.empty() || config.join_rows > 1) {
        convolutions_ = add_part("convolutions", std::make_shared<GridConvolutions>(config));
        depth = convolutions_->depth();
    }
    weight_ = declare("weight", {embedding_size, depth}, Role::matrix);
    bias_ = declare("bias", {embedding_size}, Role::bias);
}

Grid FeatureEmbedding::embedded_grid(const Grid& source) const {
    return convolutions_ ? convolutions_->grid(source) : source;
}

SourceBatch FeatureEmbedding::embed(const SourceBatch& source, const Execution& execution) const {
    const at::Tensor values = source.values.type_as(weight_);
    if (!convolutions_) {
        const at::Tensor projected = affine(values, weight_, bias_, execution);
        return {drop(projected, dropout_, execution), source.lengths, source.grids};
    }
    std::vector<at::Tensor> pictures;
    for (std::size_t b = 0; b < source.lengths.size(); ++b) {
        pictures.push_back(values[static_cast<std::int64_t>(b)].narrow(0, 0, source.lengths[b]));
    }
    const at::Tensor convolved = convolutions_->forward(at::cat(pictures, 0), source.grids, execution);
    const at::Tensor projected = drop(affine(convolved, weight_, bias_, execution), dropout_, execution);
    SourceBatch result;
    std::int64_t width = 0;
    for (const Grid& grid : source.grids) {
        result.grids.push_back(embedded_grid(grid));
        result.lengths.push_back(result.grids.back().positions());
        width = std::max(width, result.lengths.back());
    }
    result.values = unpack(projected, sentence_rows(result.lengths, width, values.device()));
    return result;
}

std::vector<PartWork> FeatureEmbedding::work(const BatchShape& on) const {
    if (!convolutions_) {
        return {{"features", flop(on.sources(), weight_)}};
    }
    std::int64_t positions = 0;
    for (const Grid& grid : on.grids) {
        positions += embedded_grid(grid).positions();
    }
    return {{"source convolutions", convolutions_->work(on.grids)}, {"features", flop(positions, weight_)}};
}

std::shared_ptr<SourceEmbedding> make_source_embedding(const ModelConfig& config, const at::Tensor& table) {
    if (config.source.size > 0) {
        return std::make_shared<FeatureEmbedding>(config.source, config.embedding_size, config.dropout);
    }
    return std::make_shared<TokenEmbedding>(table, config.dropout);
}

}  // namespace softalign
