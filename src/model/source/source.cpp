#include "model/source/source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ops/affine.h"
#include "ops/execution.h"

namespace softalign {

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
    return {dropout(look_up(table_, source.values), dropout_, execution.noise), source.lengths, source.grids};
}

FeatureEmbedding::FeatureEmbedding(std::int64_t depth, std::int64_t embedding_size, double dropout)
    : weight_(declare("weight", {embedding_size, depth}, Role::matrix)),
      bias_(declare("bias", {embedding_size}, Role::bias)),
      dropout_(dropout) {}

SourceBatch FeatureEmbedding::embed(const SourceBatch& source, const Execution& execution) const {
    const at::Tensor projected = affine(source.values.type_as(weight_), weight_, bias_, execution);
    return {dropout(projected, dropout_, execution.noise), source.lengths, source.grids};
}

std::vector<PartWork> FeatureEmbedding::work(const BatchShape& on) const {
    return {{"features", flop(on.sources(), weight_)}};
}

std::shared_ptr<SourceEmbedding> make_source_embedding(const ModelConfig& config, const at::Tensor& table) {
    if (config.source.size > 0) {
        return std::make_shared<FeatureEmbedding>(config.source.size, config.embedding_size,
                                                  config.dropout.source_embedding);
    }
    return std::make_shared<TokenEmbedding>(table, config.dropout.source_embedding);
}

}  // namespace softalign
