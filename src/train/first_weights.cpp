#include "train/first_weights.h"

#include "train/pretrained_embeddings.h"
#include "train/start_model.h"

namespace softalign {

bool has_given_weights(const Config& config) {
    const InitConfig& init = config.model.init;
    return !(config.training.start_from.empty() && init.source_embeddings.empty() && init.target_embeddings.empty());
}

void require_given_weights(const Config& config) {
    if (!config.training.start_from.empty()) {
        require_start_model(config);
    }
    require_embedding_files(config);
}

void take_given_weights(const Config& config, const Tokenizers& tokenizers, const TrainingVectors& vectors) {
    if (!config.training.start_from.empty()) {
        take_start_weights(config, tokenizers, vectors.parameters);
    }
    take_pretrained_embeddings(config, tokenizers, vectors.parameters);
    if (vectors.average.defined()) {
        vectors.average.copy_(vectors.parameters.values());
    }
}

}  // namespace softalign
