#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "train/gradient_step.h"

namespace softalign {

// The sentence pairs of an update that are not finite each by itself, by their lines in the training text: "; of 2
// sentence pairs alone, lines 17, 400 of the training text". Costs a forward pass of every sentence.
std::string bad_sentences(const GradientStep& step, const std::vector<Batch>& batches, const Corpus& corpus);

// "the loss or the gradient was not finite for 20 updates in a row".
std::string describe(const DivergenceConfig& divergence);

// What to do about a run that ends so.
std::string advice(const DivergenceConfig& divergence);

}  // namespace softalign
