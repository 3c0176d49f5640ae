#pragma once

#include "cli/score.h"

namespace softalign {

// Runs `score --n-best`: writes the list with the models' log-probabilities, or the best text of each sentence.
int run_rescoring(const ScoreArguments& arguments);

}  // namespace softalign
