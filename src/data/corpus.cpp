#include "data/corpus.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "data/alignment_side.h"
#include "data/corpus_side.h"
#include "data/feature_array.h"
#include "data/feature_side.h"
#include "data/parallel_lines.h"
#include "data/source_lines.h"
#include "text/line_reader.h"
#include "text/tags.h"
#include "text/words.h"

namespace softalign {

namespace {

// Several files as one long one.
class FileChain {
public:
    explicit FileChain(std::vector<std::string> files, SourceType type = SourceType::text)
        : files_(std::move(files)), type_(type) {
        open();
    }

    bool next(std::string& line) {
        while (!reader_->next(line)) {
            if (reader_->line_number() == 0) {
                throw Error(ExitCode::data,
                            reader_->name() + ": the file is empty; it must have one sentence per line");
            }
            if (at_ == files_.size()) {
                return false;
            }
            open();
        }
        ++lines_;
        return true;
    }

    const SourceLines& reader() const { return *reader_; }

    std::int64_t count_to_end() {
        std::string line;
        while (next(line)) {
        }
        return lines_;
    }

    std::string says() const { return count_of_lines(files_, lines_); }

private:
    void open() { reader_ = std::make_unique<SourceLines>(files_[at_++], type_); }

    std::vector<std::string> files_;
    SourceType type_;
    std::size_t at_ = 0;
    std::unique_ptr<SourceLines> reader_;
    std::int64_t lines_ = 0;
};

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

    Example example(std::int64_t index, std::uint64_t key) const override {
        Example example;
        example.id = index;
        SidePieces source;
        if (features_) {
            example.features = features_->features(index);
        } else {
            source = key == 0 ? source_->pieces(index) : source_->sampled(index, mix_key({key, 0}));
            const std::vector<std::int32_t>& tag = tag_of(index);
            source.ids.insert(source.ids.begin(), tag.begin(), tag.end());
            constexpr std::int32_t no_word = -1;
            source.words.insert(source.words.begin(), source.words.empty() ? 0 : tag.size(), no_word);
        }
        SidePieces target = key == 0 ? target_.pieces(index) : target_.sampled(index, mix_key({key, 1}));
        if (alignments_) {
            example.alignment = links_of_pieces(alignments_->links(index), source.words, target.words);
        }
        example.source = std::move(source.ids);
        example.target = std::move(target.ids);
        return example;
    }

    // The next pair of files, or all of them as one.
    void read(FileChain source, FileChain target) {
        const std::size_t part = report_.ends.size();
        const bool tagged = part < limits_.tags.size() && !limits_.tags[part].empty();
        tags_.push_back(tagged ? tag_ids(source_->tokenizer(), limits_.tags[part]) : std::vector<std::int32_t>());
        if (alignments_) {
            alignments_->open(limits_.alignments[part]);
        }
        read_lines_of(source, target);
        report_.ends.push_back(report_.kept);
    }

    // Throws where nothing is left, with the reasons.
    void finish(const std::string& name) {
        in_parallel_ = nullptr;
        if (features_) {
            features_->finish();
        } else {
            source_->finish();
        }
        target_.finish();
        if (alignments_) {
            alignments_->finish();
            report_.alignment_checksum = alignments_->checksum();
        }
        report_.source_checksum = features_ ? features_->checksum() : source_->checksum();
        report_.target_checksum = target_.checksum();
        if (report_.kept > 0) {
            return;
        }
        std::ostringstream reasons;
        const auto count = [&](std::int64_t number, const std::string& reason) {
            if (number > 0) {
                reasons << (reasons.tellp() > 0 ? ", " : "") << number << " " << reason;
            }
        };
        count(report_.empty, "with an empty side");
        count(report_.too_long, "over data.max_source_length or data.max_target_length");
        count(report_.ratio, "over data.max_length_ratio");
        count(report_.bad_encoding, "not UTF-8");
        throw Error(ExitCode::data,
                    name + ": no sentence pair is left of " + std::to_string(report_.lines) + ": " + reasons.str());
    }

private:
    struct TextPair {
        std::string source;
        std::string target;
        bool good = true;  // else not UTF-8
        std::vector<std::int32_t> source_pieces{};
        std::vector<std::int32_t> target_pieces{};
    };

    void read_lines_of(FileChain& source, FileChain& target) {
        // Links are read line by line with the pair.
        constexpr std::size_t at_once = 4096;
        std::vector<TextPair> pairs(alignments_ || features_ ? 1 : at_once);
        std::size_t count = 0;
        while (true) {
            TextPair& pair = pairs[count];
            const bool has_source = source.next(pair.source);
            const bool has_target = target.next(pair.target);
            if (has_source != has_target) {
                source.count_to_end();
                target.count_to_end();
                throw unequal_sides(source.says(), target.says());
            }
            if (alignments_ && alignments_->next() != has_source) {
                source.count_to_end();
                throw Error(ExitCode::data, "data.alignments needs a line for each sentence pair: " + source.says() +
                                                ", " + alignments_->count_lines());
            }
            if (has_source) {
                pair.good = check_encoding(source.reader(), pair.source, target.reader(), pair.target);
                ++count;
            }
            if (features_ && count > 0) {
                add_features(source, pair);
                count = 0;
            } else if (count == pairs.size() || !has_source) {
                add_texts(pairs, count);
                count = 0;
            }
            if (!has_source) {
                return;
            }
        }
    }

    bool check_encoding(const SourceLines& source, const std::string& source_line, const SourceLines& target,
                        const std::string& target_line) const {
        if (limits_.on_bad_line == BadLine::error) {
            source.require_utf8(source_line);
            target.require_utf8(target_line);
            return true;
        }
        return first_invalid_utf8(source_line) == 0 && first_invalid_utf8(target_line) == 0;
    }

    // The first `count` of these.
    void add_texts(std::vector<TextPair>& pairs, std::size_t count) {
        for (std::size_t i = 0; rewrite_ && i < count; ++i) {
            if (pairs[i].good) {
                rewrite_(pairs[i].source, pairs[i].target);
            }
        }
        constexpr std::size_t of_a_task = 64;
        const auto encode = [&](std::int64_t task) {
            const std::size_t begin = static_cast<std::size_t>(task) * of_a_task;
            for (std::size_t i = begin; i < std::min(count, begin + of_a_task); ++i) {
                TextPair& pair = pairs[i];
                pair.source_pieces = source_->tokenizer().encode(pair.good ? pair.source : "");
                pair.target_pieces = target_.tokenizer().encode(pair.good ? pair.target : "");
            }
        };
        const auto tasks = static_cast<std::int64_t>((count + of_a_task - 1) / of_a_task);
        if (in_parallel_) {
            in_parallel_(tasks, encode);
        } else {
            for (std::int64_t task = 0; task < tasks; ++task) {
                encode(task);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (count_line(pairs[i])) {
                add_text(pairs[i]);
            }
        }
    }

    // Whether the pair of lines is UTF-8.
    bool count_line(const TextPair& pair) {
        ++report_.lines;
        report_.bad_encoding += pair.good ? 0 : 1;
        return pair.good;
    }

    void add_text(const TextPair& pair) {
        const std::vector<std::int32_t>& source = pair.source_pieces;
        const std::vector<std::int32_t>& target = pair.target_pieces;
        const auto source_length = static_cast<std::int64_t>(source.size());
        const auto target_length = static_cast<std::int64_t>(target.size());
        if (!is_wanted(source_length, target_length)) {
            return;
        }
        if (is_lopsided(source_length, target_length)) {
            ++report_.ratio;
            return;
        }
        source_->add(source, pair.source);
        add_target(target, pair.target);
        if (alignments_) {
            alignments_->add(count_words(pair.source), count_words(pair.target));
        }
        count_kept(source_length + static_cast<std::int64_t>(tags_.back().size()) + 1, target_length + 1);
    }

    // What is put before the source of a pair.
    const std::vector<std::int32_t>& tag_of(std::int64_t index) const {
        const auto part = std::upper_bound(report_.ends.begin(), report_.ends.end(), index) - report_.ends.begin();
        return tags_[static_cast<std::size_t>(part)];
    }

    void add_features(const FileChain& source, const TextPair& pair) {
        if (!count_line(pair)) {
            return;
        }
        const std::string& name = pair.source;
        const std::vector<std::int32_t> target = target_.tokenizer().encode(pair.target);
        const auto target_length = static_cast<std::int64_t>(target.size());
        if (is_blank(name)) {
            is_wanted(0, target_length);
            return;
        }
        try {
            const FeatureArray array(name);
            require_depth(array, depth_);
            if (!is_wanted(array.grid().positions(), target_length)) {
                return;
            }
            features_->add(array);
            add_target(target, pair.target);
            count_kept(array.grid().positions(), target_length + 1);
        } catch (const Error& error) {
            throw source.reader().at_place(error);
        }
    }

    void add_target(const std::vector<std::int32_t>& pieces, const std::string& line) {
        target_.add(pieces, line);
        for (const std::int32_t piece : pieces) {
            report_.target_pieces[static_cast<std::size_t>(piece)] = true;
        }
    }

    // Of a text that has pieces: one of other spaces alone is one word (text/piece_words.h).
    static std::size_t count_words(const std::string& line) { return std::max<std::size_t>(words_of(line).size(), 1); }

    // Counts a pair that is not.
    bool is_wanted(std::int64_t source_length, std::int64_t target_length) {
        if (source_length == 0 || target_length == 0) {
            ++report_.empty;
            return false;
        }
        if (is_over(source_length, limits_.max_source_length) || is_over(target_length, limits_.max_target_length)) {
            ++report_.too_long;
            return false;
        }
        return true;
    }

    // The pair that was added last.
    void count_kept(std::int64_t source_tokens, std::int64_t target_tokens) {
        const std::int64_t left_out = report_.lines - 1 - report_.kept;
        if (left_out != (gaps_.empty() ? 0 : gaps_.back().left_out)) {
            gaps_.push_back({report_.kept, left_out});
        }
        ++report_.kept;
        report_.source_tokens += source_tokens;
        report_.target_tokens += target_tokens;
    }

    // From this pair on so many lines were left out before a pair.
    struct Gap {
        std::int64_t pair;
        std::int64_t left_out;
    };

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

}  // namespace

std::unique_ptr<Corpus> load_corpus(const std::vector<std::string>& source_files,
                                    const std::vector<std::string>& target_files, const Tokenizer& source_tokenizer,
                                    const Tokenizer& target_tokenizer, const DataConfig& limits,
                                    const CorpusStorage& storage, std::int64_t depth) {
    if (source_files.empty() || target_files.empty()) {
        throw Error(ExitCode::data, "a parallel corpus needs at least one file on each side");
    }
    CorpusStorage stored = storage;
    stored.keep_words = !limits.alignments.empty();
    auto corpus = std::make_unique<FlatCorpus>(source_tokenizer, target_tokenizer, limits, stored, depth);
    if (source_files.size() == target_files.size()) {
        for (std::size_t i = 0; i < source_files.size(); ++i) {
            corpus->read(FileChain({source_files[i]}, limits.source_type), FileChain({target_files[i]}));
        }
    } else {
        corpus->read(FileChain(source_files, limits.source_type), FileChain(target_files));
    }
    corpus->finish(source_files.front() + ", " + target_files.front());
    return corpus;
}

SpecialIdPair special_ids(const Tokenizer& source, const Tokenizer& target) {
    return {source.special().pad, source.special().eos, target.special().pad, target.special().bos,
            target.special().eos};
}

std::vector<std::string> read_lines(const std::string& path, ByteOrderMark mark) {
    LineReader reader(path, nullptr, mark);
    std::vector<std::string> lines;
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        lines.push_back(line);
    }
    return lines;
}

}  // namespace softalign
