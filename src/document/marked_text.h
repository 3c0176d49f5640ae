#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// A pair of tags around a part of a text.
struct TagPair {
    TextRange range;    // not empty; no white space at its ends, unless it has nothing else
    std::string open;   // in front of it: "<b>"
    std::string close;  // behind it: "</b>"
};

// What is copied and not translated. An object_mark holds its place in the text.
struct Atom {
    TextRange range;  // of the mark
    std::string text;
    bool is_space = false;  // whether it separates words although it touches them, as "<b> </b>" and "\\n" do
    std::string seen{};     // what a reader sees of it, without tags
};

// How text is written where marks are.
enum class Markup { none, html };

// A text of one or more sentences with its marks and atoms.
struct MarkedText {
    std::string text;
    std::vector<TagPair> marks;  // nested, in the order of their beginnings, an outer one before those inside it
    std::vector<Atom> atoms;     // in order
    Markup markup = Markup::none;

    // A part as it is, with its marks and atoms. Of a mark that begins outside the opening tag is left out,
    // and of one that ends outside the closing one; `inner`: such marks are left out altogether.
    std::string written(TextRange range, bool inner = false) const;
};

// The first atom that does not begin before a place.
std::vector<Atom>::const_iterator first_atom_from(const MarkedText& text, std::size_t place);

// A part, byte for byte, with blanks in place of the atoms that are white space.
std::string with_blanks(const MarkedText& text, TextRange range);

// The range without the white space at its ends, and without atoms that are white space.
TextRange trimmed(const MarkedText& text, TextRange range);

// As text is written: in HTML with &amp;, &lt;, &gt; and &nbsp; for these characters.
std::string encoded(std::string_view text, Markup markup);

// A sentence as the model reads it, and what is to be put back into its translation.
struct MarkedSentence {
    static constexpr std::size_t nothing = static_cast<std::size_t>(-1);

    struct Tag {
        TextRange range;              // of `text`; may be empty
        std::size_t outer = nothing;  // the tag that it is in, by its number
        std::size_t place = 0;        // in the source: what comes first has less
        std::string open;
        std::string close;
        bool from_before = false;  // it begins in an earlier sentence, so `open` is not written here
        bool into_next = false;    // it ends in a later one
    };
    struct Copy {
        std::size_t at = 0;           // its place in `text`
        std::size_t outer = nothing;  // as of a tag
        std::size_t place = 0;
        std::string text;
        bool spaced_before = false;  // whether there is white space in front of it in the source
        bool spaced_behind = false;
        bool is_space = false;  // as of an atom
    };

    std::string text;          // without objects
    std::vector<Tag> tags;     // nested, an outer one before those inside it
    std::vector<Copy> copies;  // in the order of is_in_front
    std::vector<Copy> held;    // what the placeholders in `text` stand for, by their numbers (hold_copies)
    Markup markup = Markup::none;

    bool is_plain() const { return tags.empty() && copies.empty() && held.empty() && markup == Markup::none; }
};

// Whether there is more to the copy than white space, tags other than an image, and comments.
bool has_content(const MarkedSentence::Copy& copy);

// Whether a reader sees any of it: content that is no space.
inline bool is_seen(const MarkedSentence::Copy& copy) {
    return !copy.is_space && has_content(copy);
}

inline bool is_in_front(const MarkedSentence::Copy& a, const MarkedSentence::Copy& b) {
    return a.at != b.at ? a.at < b.at : a.place < b.place;
}

// A sentence of the text. Marks of which only objects are in it are copied with them.
MarkedSentence marked_sentence(const MarkedText& text, TextRange sentence);

}  // namespace softalign
