#pragma once

#include <string>

#include "config/config.h"
#include "storage/model_directory.h"
#include "train/flat_parameters.h"

namespace softalign {

// The model that a new run begins with (training.start_from), for fine-tuning.

// Throws Error(model) where training.start_from names no model, or Error(configuration) where that model reads another
// type of source, or is the one to be trained. REQUIRES: training.start_from is given.
void require_start_model(const Config& config);

// Its vocabularies, under the names that they have in `directory`. Throws Error(model); Error(configuration) where the
// model to train cannot have them.
VocabularyFiles vocabularies_of_start_model(const Config& config, const std::string& directory);

// Fills the weights with those of the start model. Embeddings, the output layer and its bias are taken row by row:
// those of the pieces that the start model's vocabulary has too; the rest stay as they are, and so do all weights if
// this throws. Logs how many were taken. Throws Error(model) for a directory that is damaged; Error(configuration) with
// the first tensor that does not fit.
void take_start_weights(const Config& config, const Tokenizers& tokenizers, const FlatParameters& parameters);

}  // namespace softalign
