#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/written_bytes.h"
#include "data/batch.h"
#include "text/line_reader.h"

namespace softalign {

// Two words of a sentence pair, both from 0, of which one is the translation of the other.
struct WordLink {
    std::int32_t source = 0;
    std::int32_t target = 0;
};

// The links of a line in Pharaoh's format, "0-0 1-2 2-1", in the order of their words, each once. Throws Error(data)
// with the first field that is not a link.
std::vector<WordLink> parse_links(std::string_view line);

// The links of pieces that links of words make: each piece of one word with each piece of the other. `source` and
// `target` are the words that pieces belong to, which never decrease.
std::vector<PieceLink> links_of_pieces(const std::vector<WordLink>& links, const std::vector<std::int32_t>& source,
                                       const std::vector<std::int32_t>& target);

// Which words of a corpus's pairs are translations of which, read from files with a line for each pair.
class AlignmentSide {
public:
    // `directory`: CorpusStorage's. Throws Error(output).
    explicit AlignmentSide(const std::string& directory);

    // The lines that follow are those of this file, plain or gzip. Throws Error(data).
    void open(const std::string& path);

    // Reads the next line; false after the last. Throws Error(data) naming file and line for what cannot be read or is
    // no link.
    bool next();

    // Keeps the line read last, that of a pair with so many words. Throws Error(data) naming file and line if one of
    // its links has a word beyond them, and Error(output).
    void add(std::size_t source_words, std::size_t target_words);

    // Ends the writing; call it before reading. Throws Error(output).
    void finish();

    // The links of a kept pair.
    std::vector<WordLink> links(std::int64_t index) const;

    // CRC-32C of the kept lines, each with a line feed.
    std::uint32_t checksum() const { return checksum_; }

    // How many lines the file has, in words; reads it to its end.
    std::string count_lines();

private:
    std::unique_ptr<LineReader> reader_;
    std::string line_;
    std::vector<WordLink> read_;  // from that line
    WrittenBytes links_;          // int32 source, int32 target
    WrittenBytes ends_;           // uint64 per pair: number of links up to its end
    std::uint64_t count_ = 0;     // links so far
    std::uint32_t checksum_ = 0;
};

}  // namespace softalign
