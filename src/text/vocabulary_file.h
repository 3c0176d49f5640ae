#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace softalign {

// SentencePiece trusts parts of a model file: the offsets in its normalisation table, and the number of user-defined
// pieces that share a prefix. A damaged or malicious file could make it read arbitrary memory. This function checks
// these parts before the file is loaded. It returns what is wrong, or an empty string if nothing is.
std::string fault_of_vocabulary_file(std::string_view bytes);

// Empty if two vocabularies have the same pieces, ids and special ids. Otherwise the first difference, such
// as "8000 and 7998 pieces" or "the piece of id 17 is \"a\" and \"b\"".
std::string vocabulary_difference(const Tokenizer& one, const Tokenizer& other);

// Empty if two vocabularies encode every text alike. Otherwise the first difference: one of those above, or "the same
// pieces, but other scores of them" and the like.
std::string segmentation_difference(const Tokenizer& one, const Tokenizer& other);

// Equal for vocabularies with the same pieces, ids and special ids; different for others, except by a chance of one in
// 2^64. FNV-1a over the special ids and the pieces; the same on every machine.
std::uint64_t vocabulary_checksum(const Tokenizer& tokenizer);

}  // namespace softalign
