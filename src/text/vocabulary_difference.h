#pragma once

#include <string>

#include "text/tokenizer.h"

namespace softalign {

// Empty if two vocabularies have the same pieces, ids and special ids. Otherwise the first difference, such
// as "8000 and 7998 pieces" or "the piece of id 17 is \"a\" and \"b\"".
std::string vocabulary_difference(const Tokenizer& one, const Tokenizer& other);

// Empty if two vocabularies encode every text alike. Otherwise the first difference: one of those above, or "the same
// pieces, but other scores of them" and the like.
std::string segmentation_difference(const Tokenizer& one, const Tokenizer& other);

}  // namespace softalign
