#pragma once

#include <cstdint>

#include "text/tokenizer.h"

namespace softalign {

// A number that vocabularies with the same pieces under the same ids and the same special ids share, and others do not
// but by an accident of one in 2^64: FNV-1a over the special ids and the pieces. The same on every machine.
std::uint64_t vocabulary_checksum(const Tokenizer& tokenizer);

}  // namespace softalign
