#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/written_bytes.h"
#include "data/corpus.h"
#include "text/tokenizer.h"

namespace softalign {

// One side of a corpus, flat: the pieces of all sentences one after the other, and where each sentence ends.
class CorpusSide {
public:
    // REQUIRES: the tokenizer outlives it. Throws Error(output).
    CorpusSide(const Tokenizer& tokenizer, const CorpusStorage& storage);

    // Throws Error(output).
    void add(const std::vector<std::int32_t>& pieces, const std::string& line);
    // Nothing is added afterwards, and only then can it be read. Throws Error(output).
    void finish();

    std::int64_t length(std::int64_t index) const;
    std::vector<std::int32_t> pieces(std::int64_t index) const;
    // Another segmentation of the same sentence, drawn by the key. REQUIRES: storage.keep_text.
    std::vector<std::int32_t> sampled(std::int64_t index, std::uint64_t key) const;

    const Tokenizer& tokenizer() const { return tokenizer_; }

    // CRC-32C of the lines that were added, each with a line feed.
    std::uint32_t checksum() const { return checksum_; }

private:
    const Tokenizer& tokenizer_;
    bool keep_text_;
    WrittenBytes ids_;         // int32
    WrittenBytes ends_;        // uint64 a sentence: pieces up to its end
    WrittenBytes text_;        // empty without keep_text
    WrittenBytes text_ends_;   // uint64 a sentence: bytes up to its end
    std::uint64_t count_ = 0;  // pieces so far
    std::uint32_t checksum_ = 0;
};

}  // namespace softalign
