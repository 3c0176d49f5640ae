#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch_stream.h"
#include "data/corpus.h"
#include "train/gradient_step.h"
#include "train/run_state.h"

namespace softalign {

// The sentence pairs of an update whose own loss is not finite, by their lines in the training text: "; of 2 sentence
// pairs alone, lines 17, 400 of the training text". Costs a forward pass per sentence.
std::string bad_sentences(const GradientStep& step, const std::vector<BatchStream::Item>& batches,
                          const Corpus& corpus);

// Whether a run has diverged after an update: too many updates in a row were not finite, or this one made the weights
// not finite, which no later update can repair.
bool has_diverged(const DivergenceConfig& divergence, const RunState& state, const UpdateSums& sums);

// Why it has diverged: "the loss or the gradient was not finite for 20 updates in a row".
std::string describe(const RunState& state);

// What to do about a run that has diverged. can_resume: there is a checkpoint from before that.
std::string advice(const TrainingConfig& training, bool can_resume);

}  // namespace softalign
