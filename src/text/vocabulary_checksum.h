#pragma once

#include <cstdint>

#include "text/tokenizer.h"

namespace softalign {

// Equal for vocabularies with the same pieces, ids and special ids; different for others, except by a chance of one in
// 2^64. FNV-1a over the special ids and the pieces; the same on every machine.
std::uint64_t vocabulary_checksum(const Tokenizer& tokenizer);

}  // namespace softalign
