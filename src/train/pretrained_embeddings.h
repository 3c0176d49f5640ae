#pragma once

#include "config/config.h"
#include "storage/model_directory.h"
#include "train/flat_parameters.h"

namespace softalign {

// Throws Error where a file of model.init.source_embeddings or target_embeddings cannot be read or has vectors of
// another width than the embeddings.
void require_embedding_files(const Config& config);

// Gives pieces the vectors that these files have for them, and logs how many were found. A piece takes that of a word
// spelt like it, else that of the word without the "▁" that the piece begins with; of a word that comes twice, the
// first. Throws Error(data).
void take_pretrained_embeddings(const Config& config, const Tokenizers& tokenizers, const FlatParameters& parameters);

}  // namespace softalign
