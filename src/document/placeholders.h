#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/kept_spans.h"
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

// Turns the first copies of a sentence, at most so many, into placeholders in its text. Returns what they stand for.
std::vector<std::string> hold_copies(MarkedSentence& sentence, std::size_t most);

// A translation with what its placeholders stand for, each exactly once: the first of several, and at the end what is
// missing, with a space where two numbers or words would become one. Other placeholders are left out.
std::string with_held(std::string_view translation, const std::vector<std::string>& held);

}  // namespace softalign
