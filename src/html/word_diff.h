#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// A part of a text, including white space before it, that the other text shares or lacks.
struct DiffSpan {
    std::string text;
    bool shared = true;
};

struct WordDiff {
    std::vector<DiffSpan> left;  // together the whole text
    std::vector<DiffSpan> right;
};

// Compares two texts by a longest common subsequence of words. ASCII punctuation and each East Asian character count as
// separate words. Words are equal if their bytes are. Texts of more than a few thousand words are compared only at
// their beginning and end.
WordDiff compare_words(std::string_view left, std::string_view right);

}  // namespace softalign
