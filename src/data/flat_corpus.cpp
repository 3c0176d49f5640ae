#include "data/flat_corpus.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "data/feature_array.h"
#include "data/parallel_lines.h"
#include "text/tags.h"
#include "text/words.h"

namespace softalign {

Example FlatCorpus::example(std::int64_t index, std::uint64_t key) const {
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

void FlatCorpus::read(FileChain source, FileChain target) {
    const std::size_t part = report_.ends.size();
    begin_part(part);
    if (alignments_) {
        alignments_->open(limits_.alignments[part]);
    }
    read_lines_of(source, target);
    report_.ends.push_back(report_.kept);
}

void FlatCorpus::write(CacheWriter& cache) const {
    std::vector<std::int64_t> numbers;
    for (const std::int64_t* count : counts_of(report_)) {
        numbers.push_back(*count);
    }
    numbers.insert(numbers.end(), {report_.source_checksum, report_.target_checksum});
    cache.add(numbers);
    cache.add(report_.ends);
    cache.add({report_.target_pieces.begin(), report_.target_pieces.end()});
    cache.add(gaps_.data(), gaps_.size() * sizeof(Gap));
    source_->write(cache);
    target_.write(cache);
}

void FlatCorpus::load(CacheReader& cache, std::size_t parts) {
    for (std::size_t part = 0; part < parts; ++part) {
        begin_part(part);
    }
    const std::vector<std::int64_t> numbers = cache.numbers();
    const std::vector<std::int64_t*> counts = counts_of(report_);
    report_.from_cache = true;
    report_.ends = cache.numbers();
    const std::vector<std::int64_t> pieces = cache.numbers();
    const std::vector<std::int64_t> gaps = cache.numbers();
    if (numbers.size() != counts.size() + 2 || report_.ends.size() != parts ||
        pieces.size() != report_.target_pieces.size() || gaps.size() % 2 != 0) {
        cache.fail("its parts do not fit together");
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        *counts[i] = numbers[i];
    }
    report_.source_checksum = static_cast<std::uint32_t>(numbers[counts.size()]);
    report_.target_checksum = static_cast<std::uint32_t>(numbers[counts.size() + 1]);
    report_.target_pieces.assign(pieces.begin(), pieces.end());
    for (std::size_t i = 0; i < gaps.size(); i += 2) {
        gaps_.push_back({gaps[i], gaps[i + 1]});
    }
    source_->load(cache, report_.kept);
    target_.load(cache, report_.kept);
}

void FlatCorpus::finish(const std::string& name) {
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

void FlatCorpus::begin_part(std::size_t part) {
    const bool tagged = part < limits_.tags.size() && !limits_.tags[part].empty();
    tags_.push_back(tagged ? tag_ids(source_->tokenizer(), limits_.tags[part]) : std::vector<std::int32_t>());
}

void FlatCorpus::read_lines_of(FileChain& source, FileChain& target) {
    // Links are read line by line with the pair.
    constexpr std::size_t at_once = 4096;
    constexpr std::size_t bytes_at_once = std::size_t{1} << 20;
    std::vector<TextPair> pairs(alignments_ || features_ ? 1 : at_once);
    std::size_t count = 0;
    std::size_t bytes = 0;
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
            throw Error(ExitCode::data, "data.alignments needs a line for each sentence pair: " + source.says() + ", " +
                                            alignments_->count_lines());
        }
        if (has_source) {
            pair.good = check_encoding(source.reader(), pair.source, target.reader(), pair.target);
            ++count;
            bytes += pair.source.size() + pair.target.size();
        }
        if (features_ && count > 0) {
            add_features(source, pair);
            count = 0;
        } else if (count == pairs.size() || bytes >= bytes_at_once || !has_source) {
            add_texts(pairs, count);
            count = 0;
            bytes = 0;
        }
        if (!has_source) {
            return;
        }
    }
}

bool FlatCorpus::check_encoding(const SourceLines& source, const std::string& source_line, const SourceLines& target,
                                const std::string& target_line) const {
    if (limits_.on_bad_line == BadLine::error) {
        source.require_utf8(source_line);
        target.require_utf8(target_line);
        return true;
    }
    return first_invalid_utf8(source_line) == 0 && first_invalid_utf8(target_line) == 0;
}

void FlatCorpus::add_texts(std::vector<TextPair>& pairs, std::size_t count) {
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
        constexpr std::size_t long_line = 4096;
        if (pairs[i].source.size() + pairs[i].target.size() > long_line) {
            pairs[i] = {};  // its memory is not kept for the next one
        }
    }
}

void FlatCorpus::add_text(const TextPair& pair) {
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

void FlatCorpus::add_features(const FileChain& source, const TextPair& pair) {
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

void FlatCorpus::add_target(const std::vector<std::int32_t>& pieces, const std::string& line) {
    target_.add(pieces, line);
    for (const std::int32_t piece : pieces) {
        report_.target_pieces[static_cast<std::size_t>(piece)] = true;
    }
}

bool FlatCorpus::is_wanted(std::int64_t source_length, std::int64_t target_length) {
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

void FlatCorpus::count_kept(std::int64_t source_tokens, std::int64_t target_tokens) {
    const std::int64_t left_out = report_.lines - 1 - report_.kept;
    if (left_out != (gaps_.empty() ? 0 : gaps_.back().left_out)) {
        gaps_.push_back({report_.kept, left_out});
    }
    ++report_.kept;
    report_.source_tokens += source_tokens;
    report_.target_tokens += target_tokens;
}

}  // namespace softalign
