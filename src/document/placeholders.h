#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/kept_spans.h"
#include "document/marked_text.h"
#include "text/tokenizer.h"

namespace softalign {

// Placeholders: pieces of a vocabulary that stand for spans that are kept (vocabulary.placeholders). The model reads
// them in place of the spans, and writes them where the spans belong.

// What the placeholder with this number, from 0, looks like in a text: "⦃a⦄". No other text needs these brackets.
std::string placeholder(std::size_t number);

// The first so many of them, in order.
std::vector<std::string> placeholders(std::size_t count);

// How many placeholders a vocabulary has.
std::size_t count_placeholders(const Tokenizer& tokenizer);

// Whether a text is nothing but something that looks like a placeholder.
bool is_placeholder(std::string_view text);

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
