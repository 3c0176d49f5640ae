#include "model/source/source.h"

#include <memory>

#include "ops/affine.h"
#include "ops/execution.h"

namespace softalign {

SourceBatch TokenEmbedding::embed(const SourceBatch& source, const Execution& execution) const {
    return {dropout(look_up(table_, source.values), dropout_, execution.noise), source.lengths, source.grids};
}

std::shared_ptr<SourceEmbedding> make_source_embedding(const ModelConfig& config, const at::Tensor& table) {
    return std::make_shared<TokenEmbedding>(table, config.dropout.source_embedding);
}

}  // namespace softalign
