#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/marked_text.h"

namespace softalign {

// How much of each word of a translation (row) comes from each word of its source (column), at least 0. Words are those
// of words_of (text/words.h); the source may have more words than columns, which then count as words without weight.
using WordLinks = std::vector<std::vector<float>>;

// A translation and what is to be put into it.
struct LinkedTranslation {
    MarkedSentence source;
    std::string text;
    WordLinks links;  // of its words
};

// A translation with the tags and copies of its source. A tag is put around the run of words that has the most weight
// inside the tag and the least outside; punctuation at the ends of a word is a word of its own in this. A tag inside
// another stays inside it, neighbours do not overlap, and each tag and copy is written exactly once, whatever the links
// are. A copy stands in front of what the word behind it in the source became, or else behind what the word before
// it became, and not inside one of the phrases, of which words may have punctuation at their ends. Placeholders of the
// source's (`held`) are written as what they stand for; those outside of their tags are placed like copies.
std::string with_marks(const MarkedSentence& source, const std::string& translation, const WordLinks& links,
                       const std::vector<std::string>& phrases = {});

}  // namespace softalign
