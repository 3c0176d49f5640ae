#pragma once

#include "search/hypothesis.h"

namespace softalign {

// Turns round what a model that writes from right to left (decoder.reverse_target) wrote, so that its tokens, their
// log-probabilities and their attention come in the order of the text; those of the end of sentence stay last.
void to_text_order(Hypothesis& hypothesis);

}  // namespace softalign
