#pragma once

#include "config/config.h"
#include "storage/model_directory.h"
#include "train/flat_parameters.h"

namespace softalign {

// What the weights of a new run begin with beside the drawn ones: those of another model (train/start_model.h), or
// embeddings from files (train/pretrained_embeddings.h).
bool has_given_weights(const Config& config);

// Throws Error where what is given for them is not there or plainly does not fit.
void require_given_weights(const Config& config);

// Fills the weights, which are drawn already, and with them the average. Logs what was taken. Throws Error.
void take_given_weights(const Config& config, const Tokenizers& tokenizers, const TrainingVectors& vectors);

}  // namespace softalign
