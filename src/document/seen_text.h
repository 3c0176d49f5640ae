#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/marked_text.h"
#include "document/moved_places.h"
#include "document/text_range.h"

namespace softalign {

// A marked text as its sentences are sought: in the place of an atom the number that it begins with, without the sign
// of an amount, an object_mark for letters, a space for white space, and nothing for what shows neither letters nor
// digits, such as a comment or an emoji.
class SeenText {
public:
    explicit SeenText(const MarkedText& text);

    const std::string& text() const { return text_; }

    // The places in the marked text of sentences of this one, in order: no atom is divided, and each is in one of them.
    std::vector<TextRange> places_of(const std::vector<TextRange>& sentences) const;

private:
    struct Seen {
        TextRange here;   // in text_
        TextRange there;  // in the marked text
    };

    std::string text_;
    std::vector<Seen> atoms_;  // in order
    MovedPlaces there_;        // in the marked text
};

}  // namespace softalign
