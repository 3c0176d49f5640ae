#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "document/marked_text.h"
#include "document/text_range.h"

namespace softalign {

// What sentences of a text begin with that stays in front of their translations: the numbers of items ("1. Hello",
// "12) Hello") and, in plain text, the marks of lists, headings, quotations and speakers ("- Hello", "> # Title").
// Such a mark or number may be an atom. What is part of a term is no marker.
class LeadingMarkers {
public:
    // `line`: the text with_blanks; `terms`: in order. REQUIRES: all three outlive this.
    LeadingMarkers(const MarkedText& text, std::string_view line, std::vector<TextRange> terms)
        : text_(text), line_(line), terms_(std::move(terms)) {}

    // A sentence without the markers it begins with and the white space, comments and images behind them; empty if
    // there is nothing else. REQUIRES: no white space at its ends.
    TextRange without(TextRange sentence) const;

private:
    struct Marker {
        std::string_view text;  // empty: there is none
        std::size_t end;
    };
    Marker marker_at(TextRange rest) const;
    Marker marker_of_atom(const Atom& atom, TextRange rest) const;
    const Atom* atom_at(TextRange rest) const;
    std::size_t behind_space(TextRange rest) const;
    std::size_t behind_unseen(TextRange rest) const;
    bool is_in_term(std::size_t place) const;
    bool divides_tag(TextRange sentence, std::size_t place) const;

    const MarkedText& text_;
    std::string_view line_;
    std::vector<TextRange> terms_;
};

}  // namespace softalign
