#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "train/gradient_step.h"
#include "train/run_state.h"

namespace softalign {

// The sentence pairs of an update that are not finite each by itself, by their lines in the training text: "; of 2
// sentence pairs alone, lines 17, 400 of the training text". Costs a forward pass of every sentence.
std::string bad_sentences(const GradientStep& step, const std::vector<Batch>& batches, const Corpus& corpus);

// Whether a run has diverged after an update: too many in a row were not finite, or this one has made weights that are
// not, which no later update can mend.
bool has_diverged(const DivergenceConfig& divergence, const RunState& state, const UpdateSums& sums);

// Why it has: "the loss or the gradient was not finite for 20 updates in a row".
std::string describe(const RunState& state);

// What to do about a run that ends so. can_resume: there is a checkpoint from before it.
std::string advice(const DivergenceConfig& divergence, bool can_resume);

}  // namespace softalign
