#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/written_bytes.h"
#include "data/corpus.h"
#include "data/corpus_cache.h"
#include "text/tokenizer.h"

namespace softalign {

// Whether a sentence pair is too long to be scored. `source` and `target` are in pieces. Attention has a weight for
// each pair of a source and a target piece, and all of them are in memory at once.
constexpr bool is_too_large(std::size_t source, std::size_t target) {
    constexpr std::size_t largest = std::size_t{100} << 20;
    return (source + 1) * (target + 1) > largest;
}

// The pieces of a sentence, without eos.
struct SidePieces {
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> words;  // that each belongs to (word_numbers in text/piece_words.h); empty if not kept
};

// One side of a corpus: the pieces of all sentences in one array, and where each sentence ends.
class CorpusSide {
public:
    // REQUIRES: the tokenizer outlives it. Throws Error(output).
    CorpusSide(const Tokenizer& tokenizer, const CorpusStorage& storage);

    // Throws Error(output).
    void add(const std::vector<std::int32_t>& pieces, const std::string& line);
    // Ends the writing; call it before reading. Throws Error(output).
    void finish();
    // In place of add() and finish(): what a finished side has written. Both REQUIRE: no words are kept. load() throws
    // Error(data) where that cannot be a side of so many sentences.
    void write(CacheWriter& cache) const;
    void load(CacheReader& cache, std::int64_t sentences);

    std::int64_t length(std::int64_t index) const;
    SidePieces pieces(std::int64_t index) const;
    // Another segmentation of the sentence, sampled with the key. REQUIRES: storage.keep_text.
    SidePieces sampled(std::int64_t index, std::uint64_t key) const;

    const Tokenizer& tokenizer() const { return tokenizer_; }

    // CRC-32C of the lines that were added, each with a line feed.
    std::uint32_t checksum() const { return checksum_; }

private:
    const Tokenizer& tokenizer_;
    bool keep_text_;
    bool keep_words_;
    WrittenBytes ids_;         // int32
    WrittenBytes words_;       // int32 for each of them; empty without keep_words
    WrittenBytes ends_;        // uint64 per sentence: number of pieces up to its end
    WrittenBytes text_;        // empty without keep_text
    WrittenBytes text_ends_;   // uint64 per sentence: number of bytes up to its end
    std::uint64_t count_ = 0;  // pieces so far
    std::uint32_t checksum_ = 0;
};

}  // namespace softalign
