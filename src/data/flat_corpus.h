#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/alignment_side.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "data/corpus_cache.h"
#include "data/corpus_side.h"
#include "data/feature_side.h"
#include "data/file_chain.h"
#include "text/tokenizer.h"
#include "text/words.h"

namespace softalign {

// The corpus that load_corpus makes: read file by file, or loaded from its cache.
class FlatCorpus : public Corpus {
public:
    FlatCorpus(const Tokenizer& source, const Tokenizer& target, const DataConfig& limits, const CorpusStorage& storage,
               std::int64_t depth)
        : limits_(limits),
          rewrite_(storage.rewrite),
          in_parallel_(storage.in_parallel),
          depth_(depth),
          target_(target, storage) {
        if (limits.source_type == SourceType::features) {
            features_.emplace(storage);
        } else {
            source_.emplace(source, storage);
        }
        if (storage.keep_words) {
            alignments_.emplace(storage.directory);
        }
        report_.target_pieces.resize(static_cast<std::size_t>(target.size()));
    }

    std::int64_t size() const override { return report_.kept; }
    const CorpusReport& report() const override { return report_; }
    std::int64_t source_length(std::int64_t index) const override {
        return features_ ? features_->length(index)
                         : source_->length(index) + static_cast<std::int64_t>(tag_of(index).size());
    }
    std::int64_t target_length(std::int64_t index) const override { return target_.length(index); }

    std::int64_t line(std::int64_t index) const override {
        const auto next = std::upper_bound(gaps_.begin(), gaps_.end(), index,
                                           [](std::int64_t pair, const Gap& gap) { return pair < gap.pair; });
        return index + 1 + (next == gaps_.begin() ? 0 : std::prev(next)->left_out);
    }

    Example example(std::int64_t index, std::uint64_t key) const override;

    // The next pair of files, or all of them as one.
    void read(FileChain source, FileChain target);

    // As it was read from all the files and finished.
    void write(CacheWriter& cache) const;

    // In place of reading: what write() has written, of so many pairs of files. Throws Error(data).
    void load(CacheReader& cache, std::size_t parts);

    // Throws where nothing is left, with the reasons.
    void finish(const std::string& name);

private:
    // From this pair on so many lines were left out before a pair.
    struct Gap {
        std::int64_t pair;
        std::int64_t left_out;
    };

    template <typename Report>
    static auto counts_of(Report& report) {
        return std::vector{&report.lines, &report.kept,         &report.empty,         &report.too_long,
                           &report.ratio, &report.bad_encoding, &report.source_tokens, &report.target_tokens};
    }

    struct TextPair {
        std::string source;
        std::string target;
        bool good = true;  // else not UTF-8
        std::vector<std::int32_t> source_pieces{};
        std::vector<std::int32_t> target_pieces{};
    };

    void begin_part(std::size_t part);
    void read_lines_of(FileChain& source, FileChain& target);
    bool check_encoding(const SourceLines& source, const std::string& source_line, const SourceLines& target,
                        const std::string& target_line) const;

    // The first `count` of these.
    void add_texts(std::vector<TextPair>& pairs, std::size_t count);
    void add_text(const TextPair& pair);
    void add_features(const FileChain& source, const TextPair& pair);
    void add_target(const std::vector<std::int32_t>& pieces, const std::string& line);

    // Counts the pair of lines in the report, and as badly encoded if it is not UTF-8. Returns whether it is UTF-8.
    bool count_line(const TextPair& pair) {
        ++report_.lines;
        report_.bad_encoding += pair.good ? 0 : 1;
        return pair.good;
    }

    // What is put before the source of a pair.
    const std::vector<std::int32_t>& tag_of(std::int64_t index) const {
        const auto part = std::upper_bound(report_.ends.begin(), report_.ends.end(), index) - report_.ends.begin();
        return tags_[static_cast<std::size_t>(part)];
    }

    // Of a text that has pieces: one of other spaces alone is one word (text/piece_words.h).
    static std::size_t count_words(const std::string& line) { return std::max<std::size_t>(words_of(line).size(), 1); }

    // Whether no side of a pair is empty or too long. Counts in the report, by its reason, a pair that is not wanted.
    bool is_wanted(std::int64_t source_length, std::int64_t target_length);

    // The pair that was added last.
    void count_kept(std::int64_t source_tokens, std::int64_t target_tokens);

    static bool is_over(std::int64_t length, std::int64_t limit) { return limit > 0 && length > limit; }

    bool is_lopsided(std::int64_t a, std::int64_t b) const {
        const auto [shorter, longer] = std::minmax(a, b);
        return limits_.max_length_ratio > 0.0 &&
               static_cast<double>(longer) > limits_.max_length_ratio * static_cast<double>(shorter);
    }

    DataConfig limits_;
    std::function<void(std::string& source, std::string& target)> rewrite_;
    std::function<void(std::int64_t, const std::function<void(std::int64_t)>&)> in_parallel_;
    std::vector<std::vector<std::int32_t>> tags_;  // of each pair of files
    std::int64_t depth_;                           // of features
    std::vector<Gap> gaps_;
    std::optional<CorpusSide> source_;     // the one of text,
    std::optional<FeatureSide> features_;  // or of features
    CorpusSide target_;
    std::optional<AlignmentSide> alignments_;
    CorpusReport report_;
};

}  // namespace softalign
