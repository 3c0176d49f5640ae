#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// The parts of a sentence, in order and without the white space around them, none of which has more than `most` pieces:
// the sentence itself if it has no more; else cut in two behind the punctuation (a comma, a semicolon, a colon, a dash,
// a bracket that closes, or one of those of Chinese and Japanese) nearest to its middle, and the halves likewise. Where
// there is none in its middle half, it is cut at the white space nearest to the middle, and failing that between two
// characters. count(part): the pieces of a part. REQUIRES: most >= 1.
std::vector<TextRange> cut_at_clauses(std::string_view text, TextRange sentence, std::size_t most,
                                      const std::function<std::size_t(std::string_view)>& count);

}  // namespace softalign
