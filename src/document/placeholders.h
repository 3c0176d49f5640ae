#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/kept_spans.h"
#include "document/mark_placement.h"
#include "document/marked_text.h"

namespace softalign {

// Placeholders (text/placeholder_pieces.h) in texts. A model reads them in place of spans that are kept, and writes
// them where the spans belong.

// Where there are things that look like placeholders.
std::vector<TextRange> placeholders_in(std::string_view text);

// Puts placeholders into the sentences of a pair: in the order of the source, one for each span (`spans`, and numbers)
// that occurs equally often on both sides, where that is as a span; `most` of them. What looks like a placeholder is
// such a span itself.
void put_placeholders(const SpanFinder& spans, std::size_t most, std::string& source, std::string& target);

// The same as a function that owns its finder; null for 0.
std::function<void(std::string& source, std::string& target)> placeholder_rewriting(std::size_t most);

// Text that a translation of the sentence was made to have, as the model writes it: with placeholders for the spans
// that the sentence holds, and without those that are put in afterwards (MarkedSentence::copies), each at most once.
// `spans`: those of the text. `used`: which of the sentence's are in such text by now, first those that it holds; of
// several alike, one that is in none comes first.
// REQUIRES: it has a value for each of them.
std::string as_the_model_writes(std::string_view text, const std::vector<TextRange>& spans,
                                const MarkedSentence& sentence, std::vector<bool>& used);

// Turns the first copies of a sentence that have content, at most so many, into placeholders in its text
// (MarkedSentence::held).
void hold_copies(MarkedSentence& sentence, std::size_t most);

// A translation in which each placeholder that its source holds stands at most once, the first of several; those it
// lacks are copies of its source, and other placeholders are left out. Where the source has white space beside a span,
// or two words or numbers would become one, there is a space; but none in front of a full stop and the like. A span
// that touches no letter, or not the same span, in the source does not here.
LinkedTranslation with_held(LinkedTranslation translation);

// The same without these of its placeholders, which become copies. REQUIRES: it is of with_held, and has them;
// removed.size() = held.size().
LinkedTranslation without_held(LinkedTranslation translation, std::vector<bool> removed);

}  // namespace softalign
