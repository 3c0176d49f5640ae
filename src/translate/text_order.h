#pragma once

#include "search/scoring.h"

namespace softalign {

// Reverses the output of a model that writes from right to left (decoder.reverse_target): its tokens, their
// log-probabilities and their attention are then in text order. Those of the end of sentence stay last.
void to_text_order(Hypothesis& hypothesis);

}  // namespace softalign
