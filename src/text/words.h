#pragma once

#include <string_view>
#include <vector>

namespace softalign {

// Whether a text has nothing but ASCII white space.
bool is_blank(std::string_view text);

// The words of a text in their order: what stands between white space, be that Unicode's or what SentencePiece's nmt_
// normalisation makes a space of. They are views into `text`.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace softalign
