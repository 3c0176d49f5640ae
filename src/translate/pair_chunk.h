#pragma once

#include <cstddef>
#include <vector>

#include "data/parallel_lines.h"
#include "translate/scorer.h"

namespace softalign {

// The text that is read ahead in one piece, in bytes; the line that reaches it is part of it.
constexpr std::size_t chunk_bytes = std::size_t{16} << 20;

// Sets `pairs` to the next pairs of lines: at most `most`, and none after those before have `bytes` of text. False once
// the lines have ended.
bool next_pairs(ParallelLines& lines, std::size_t most, std::vector<SentencePair>& pairs,
                std::size_t bytes = chunk_bytes);

}  // namespace softalign
