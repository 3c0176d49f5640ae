#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/parallel_lines.h"
#include "translate/batch_translator.h"
#include "translate/batching.h"
#include "translate/n_best_list.h"
#include "translate/request_queue.h"
#include "translate/scorer.h"

namespace softalign {

// Sets `pairs` to the next pairs of lines: at most `most`, and none after those before have `bytes` of text. False once
// the lines have ended.
bool next_pairs(ParallelLines& lines, std::size_t most, std::vector<SentencePair>& pairs,
                std::size_t bytes = chunk_bytes);

// Sets `blocks` to the next sentences of a list: none after those before have `most` entries together, or `bytes` of
// text, in which the source counts for each entry. False, with none, after the last.
bool next_blocks(NBestReader& list, std::size_t most, std::vector<NBestBlock>& blocks, std::size_t bytes = chunk_bytes);

// Takes the translations of the sentence `index` (from 0), which come in the order of the sentences.
using WriteTranslations = std::function<void(std::int64_t index, const std::vector<Translation>& translations)>;

struct StreamOptions {
    std::int64_t chunk = 4096;  // maximum number of sentences translated and written together
    bool full_chunks = true;    // wait until a chunk is full; false: take what has arrived, at least one sentence
    // Called, if set, once the translations of a chunk are written, or of a part of it if it takes much memory.
    std::function<void()> after_chunk{};
};

// Translates the sentences of a queue until it is closed, with the memory for the sentences of one chunk and for
// translations of TranslateOptions::answer_bytes. If the queue fails, or the constraints of a sentence cannot be met,
// translates and writes the sentences before it first. REQUIRES: the capacity of the queue is at least a chunk.
void translate_stream(BatchTranslator& translator, RequestQueue& requests, const WriteTranslations& write,
                      const StreamOptions& options);

}  // namespace softalign
