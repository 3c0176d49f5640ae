#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// A stretch of a text, white space before it included, that the other text has too or has not.
struct DiffSpan {
    std::string text;
    bool shared = true;
};

struct WordDiff {
    std::vector<DiffSpan> left;  // together the whole text
    std::vector<DiffSpan> right;
};

// What two texts have in common: a longest common subsequence of words, where ASCII punctuation and each East Asian
// character stand for themselves. Words are the same where their bytes are. Texts of more than some thousand words are
// compared at their beginning and end alone.
WordDiff compare_words(std::string_view left, std::string_view right);

}  // namespace softalign
