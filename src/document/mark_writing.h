#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/marked_text.h"
#include "document/text_range.h"
#include "document/word_tokens.h"

namespace softalign {

// A tag or a copy of a sentence, with its place in the source and, once it is placed, in the translation. `target`
// counts tokens.
struct MarkNode {
    const MarkedSentence::Tag* tag = nullptr;  // null for a copy, and for the sentence itself
    const MarkedSentence::Copy* copy = nullptr;
    std::size_t place = 0;
    TextRange source;  // bytes
    TextRange target;
    std::vector<std::size_t> children;  // in the order of the source, and once they are placed of the translation
};

// A part of a translation with the source's placeholders (MarkedSentence::held) as what they stand for.
std::string written_part(std::string_view text, const MarkedSentence& source);

// A translation, of these tokens, with its marks. `nodes`: the first is the sentence itself; their children are in the
// order of the translation, inside of them, and do not overlap.
std::string written_marks(const MarkedSentence& source, std::string_view translation,
                          const std::vector<WordToken>& tokens, const std::vector<MarkNode>& nodes);

}  // namespace softalign
