#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// Something of an HTML document that belongs to a sentence: text, the tags around a part of it, or what is copied. What
// lies between events ends the sentence.
struct HtmlEvent {
    enum class Kind { text, open, close, atom };

    Kind kind = Kind::text;
    TextRange range;          // of the document
    std::string text{};       // decoded; of an atom: what a reader sees of it
    std::size_t element = 0;  // of tags: where the opening one begins
};

// The events of a document, in order and without overlaps.
std::vector<HtmlEvent> html_events(const std::string& html);

}  // namespace softalign
