#pragma once

#include <string_view>
#include <vector>

namespace softalign {

// Whether a text is empty or only ASCII white space.
bool is_blank(std::string_view text);

// The words of a text, in order, as views into it. They are separated by Unicode white space and by the characters that
// SentencePiece's nmt_ normalisations turn into spaces.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace softalign
