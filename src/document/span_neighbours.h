#pragma once

#include <string_view>

#include "document/marked_text.h"

namespace softalign {

// What a placeholder of the sentence stands for; null for any other text.
const MarkedSentence::Copy* held_copy(const MarkedSentence& sentence, std::string_view text);

// Whether a letter, or this other span, is beside a span of the sentence's copies or held ones, without a space.
// `other`: null for a letter.
bool touches(const MarkedSentence& sentence, const MarkedSentence::Copy& span, bool behind,
             const MarkedSentence::Copy* other);

}  // namespace softalign
