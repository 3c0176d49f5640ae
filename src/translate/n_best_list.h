#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "data/source_lines.h"
#include "text/line_reader.h"

namespace softalign {

// An entry of an n-best list in the format of Moses: "index ||| text ||| features ||| score", or without the features.
// Moses cannot represent a text with ||| as a word. Here such a word, and one of backslashes followed by |||, is
// written with one more backslash in front, and read with one less.
struct NBestEntry {
    std::int64_t index = 0;  // of the sentence, from 0
    std::string text;
    std::string features;  // "Name= value Name= value"; empty where there is no such column
    std::string score;     // as written
    double value = 0.0;    // of the score, finite
};

// The line of an entry; empty features give no column. REQUIRES: features without a word |||.
std::string to_line(const NBestEntry& entry);

// Whether the features have a value for that name.
bool has_feature(const NBestEntry& entry, const std::string& name);

// Whether a name can be that of a feature, for every program that reads lists: one word of printable characters in
// UTF-8, without = and |, and a colon, which some programs end names with.
bool is_feature_name(std::string_view name);

// Appends a feature with six decimals. REQUIRES: is_feature_name(name).
void add_feature(NBestEntry& entry, const std::string& name, double value);

// The entries of a sentence, at least one, in their order.
struct NBestBlock {
    std::string source;               // the sentence
    std::vector<NBestEntry> entries;  // all of one index
    std::int64_t first_line = 0;      // of the list, from 1
};

// An n-best list and its source, plain or gzip, read side by side, a sentence at a time.
class NBestReader {
public:
    // "-" is standard input. `type` of the source: data/source_lines.h. complete: every line of the source must have an
    // entry. Throws Error(data): missing, unreadable, a directory.
    NBestReader(const std::string& list, const std::string& source, bool complete, SourceType type = SourceType::text);

    // The next sentence that has entries; false after the last. Throws Error(data) naming file and line: a line that is
    // no entry or not UTF-8, an index that is below the one before it or beyond the source, a sentence without an entry
    // where the list must be complete.
    bool next(NBestBlock& block);

    // Sentences read that had no entry; after the end, of the whole source.
    std::int64_t without_entries() const { return without_entries_; }
    std::int64_t sentences() const { return source_.line_number(); }

    // The error to throw about a line of the list.
    Error fault(std::int64_t line, const std::string& what) const;

private:
    bool read_entry();
    void read_source(NBestBlock& block);
    void skip(std::int64_t index);

    LineReader list_;
    SourceLines source_;
    bool complete_;
    NBestEntry ahead_;  // of the next sentence
    bool has_ahead_ = false;
    std::int64_t without_entries_ = 0;
};

}  // namespace softalign
