#pragma once

#include <cstddef>
#include <vector>

#include "data/parallel_lines.h"
#include "translate/batching.h"
#include "translate/n_best_list.h"
#include "translate/scorer.h"

namespace softalign {

// Sets `pairs` to the next pairs of lines: at most `most`, and none after those before have `bytes` of text. False once
// the lines have ended.
bool next_pairs(ParallelLines& lines, std::size_t most, std::vector<SentencePair>& pairs,
                std::size_t bytes = chunk_bytes);

// Sets `blocks` to the next sentences of a list: none after those before have `most` entries together, or `bytes` of
// text, in which the source counts for each entry. False, with none, after the last.
bool next_blocks(NBestReader& list, std::size_t most, std::vector<NBestBlock>& blocks, std::size_t bytes = chunk_bytes);

}  // namespace softalign
