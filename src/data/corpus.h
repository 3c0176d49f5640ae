#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "text/line_reader.h"
#include "text/tokenizer.h"

namespace softalign {

// What was left out of a corpus, and why. Reported once.
struct CorpusReport {
    std::int64_t lines = 0;  // pairs read
    std::int64_t kept = 0;
    std::int64_t empty = 0;          // an empty side
    std::int64_t too_long = 0;       // over a length limit
    std::int64_t ratio = 0;          // over max_length_ratio
    std::int64_t bad_encoding = 0;   // invalid UTF-8, if the config says skip
    std::int64_t source_tokens = 0;  // of the kept pairs, eos included
    std::int64_t target_tokens = 0;
    // CRC-32C of the text of the kept pairs, each line with a line feed; of features, of their shapes and numbers
    std::uint32_t source_checksum = 0;
    std::uint32_t target_checksum = 0;
    std::uint32_t alignment_checksum = 0;  // of the lines of links of the kept pairs
    bool from_cache = false;               // the corpus was not encoded but read from CorpusStorage::cache
    std::vector<std::int64_t> ends;        // number of kept pairs after each pair of files
    std::vector<bool> target_pieces;  // by id: whether the kept targets have the piece, in its unsampled segmentation
};

// How a corpus is stored: 4 bytes per piece and 16 bytes per pair. With its text, for subword sampling, it takes the
// size of the text and another 16 bytes per pair; with the words of pieces another 4 bytes per piece.
struct CorpusStorage {
    bool keep_text = false;
    std::string directory;    // for unnamed files that hold the corpus; empty = in memory
    bool keep_words = false;  // the word that each piece belongs to; set by load_corpus where there are alignments
    // A folder that keeps the corpus as it is stored, for the next time (DataConfig::cache), and what it depends on
    // besides text, limits and this: the vocabularies. Empty = none. Not for features and alignments.
    std::string cache{};
    std::string made_with{};
    // Changes the text of each pair before anything else is done with it; null: nothing does. Not for features.
    std::function<void(std::string& source, std::string& target)> rewrite = nullptr;
    // Calls task(i) for each i below `count`, by several threads at the same time; null: one after another. Text is
    // encoded by it, which changes nothing in the corpus.
    std::function<void(std::int64_t count, const std::function<void(std::int64_t i)>& task)> in_parallel = nullptr;
};

// A parallel corpus as ids, or with features on its source side (DataConfig::source_type), which stay in their files.
// With subword sampling it keeps the text too, and `example` samples a segmentation.
class Corpus {
public:
    virtual ~Corpus() = default;
    virtual std::int64_t size() const = 0;
    virtual const CorpusReport& report() const = 0;
    // Pieces of each side without eos, of the unsampled segmentation, or positions: what batches are sorted and cut by.
    virtual std::int64_t source_length(std::int64_t index) const = 0;
    virtual std::int64_t target_length(std::int64_t index) const = 0;
    // The 1-based line of a pair, counted over all the files of a side.
    virtual std::int64_t line(std::int64_t index) const { return index + 1; }
    // key = 0 gives the unsampled segmentation. Features are read from their file: throws Error(data) if that fails.
    // Thread-safe.
    virtual Example example(std::int64_t index, std::uint64_t key) const = 0;
};

// Reads parallel files, plain or gzip, and applies the data.* limits (a length limit or ratio <= 0 means none). If both
// sides have the same number of files, they are paired one by one; otherwise each side is read as one long file. Lines
// are encoded as they are read; the text is not kept unless storage.keep_text is set. What limits.tags has for a pair
// of files is put before its sources (text/tags.h), which does not count for the limits. With limits.source_type
// features, the source files are those of SourceLines, and every array must have `depth` numbers at each position.
// limits.alignments has the links of words of each pair of files (data/alignment_side.h); examples have them in pieces.
//
// REQUIRES: the tokenizers outlive the corpus; limits.alignments is empty, or has a file for each of both sides. `id`
// of an example is its index. Throws Error(data) naming file and line: missing or unreadable file, directory, empty
// file, different line counts (with both counts, even if on_bad_line is skip: later lines would be paired wrongly),
// invalid UTF-8 (unless skipped), an array that cannot be read (data/feature_array.h), links of words that are not
// there, no pair left (with the reasons). Throws Error(output) if storage.directory cannot be written to.
std::unique_ptr<Corpus> load_corpus(const std::vector<std::string>& source_files,
                                    const std::vector<std::string>& target_files, const Tokenizer& source_tokenizer,
                                    const Tokenizer& target_tokenizer, const DataConfig& limits,
                                    const CorpusStorage& storage, std::int64_t depth = 0);

SpecialIdPair special_ids(const Tokenizer& source, const Tokenizer& target);

// All lines of a text file ("-" is standard input), plain or .gz (by content, not by name), without line ends (LF or
// CRLF). Throws Error(data) naming file and line for what cannot be read or is not UTF-8. An empty file has no lines.
std::vector<std::string> read_lines(const std::string& path, ByteOrderMark mark = ByteOrderMark::drop);

}  // namespace softalign
