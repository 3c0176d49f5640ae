#include "data/corpus_side.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "text/piece_words.h"

namespace softalign {

CorpusSide::CorpusSide(const Tokenizer& tokenizer, const CorpusStorage& storage)
    : tokenizer_(tokenizer),
      keep_text_(storage.keep_text),
      keep_words_(storage.keep_words),
      ids_(storage.directory),
      words_(storage.keep_words ? storage.directory : ""),
      ends_(storage.directory),
      text_(storage.keep_text ? storage.directory : ""),
      text_ends_(storage.keep_text ? storage.directory : "") {}

void CorpusSide::add(const std::vector<std::int32_t>& pieces, const std::string& line) {
    ids_.append(pieces.data(), pieces.size() * sizeof(std::int32_t));
    if (keep_words_) {
        const std::vector<std::int32_t> words = word_numbers(line, tokenizer_, tokenizer_.segment(line));
        words_.append(words.data(), words.size() * sizeof(std::int32_t));
    }
    count_ += pieces.size();
    checksum_ = crc32c("\n", 1, crc32c(line.data(), line.size(), checksum_));
    ends_.append(&count_, sizeof count_);
    if (keep_text_) {
        text_.append(line.data(), line.size());
        const std::uint64_t end = text_.size();
        text_ends_.append(&end, sizeof end);
    }
}

void CorpusSide::finish() {
    for (WrittenBytes* bytes : {&ids_, &words_, &ends_, &text_, &text_ends_}) {
        bytes->finish();
    }
}

void CorpusSide::write(CacheWriter& cache) const {
    cache.add({checksum_});
    for (const WrittenBytes* bytes : {&ids_, &ends_, &text_, &text_ends_}) {
        cache.add(*bytes);
    }
}

void CorpusSide::load(CacheReader& cache, std::int64_t sentences) {
    const std::vector<std::int64_t> checksum = cache.numbers();
    for (WrittenBytes* bytes : {&ids_, &ends_, &text_, &text_ends_}) {
        auto [data, size] = cache.next();
        bytes->take(std::move(data), size);
    }
    words_.finish();
    const std::size_t ends = static_cast<std::size_t>(sentences) * sizeof(std::uint64_t);
    const auto fits = [&](const WrittenBytes& places, std::size_t end) {
        return places.size() == ends && (sentences == 0 || range_of(places, sentences - 1).second == end);
    };
    if (checksum.size() != 1 || !fits(ends_, ids_.size() / sizeof(std::int32_t)) ||
        (keep_text_ && !fits(text_ends_, text_.size()))) {
        cache.fail("its parts do not fit together");
    }
    checksum_ = static_cast<std::uint32_t>(checksum[0]);
}

std::int64_t CorpusSide::length(std::int64_t index) const {
    const auto [begin, end] = range_of(ends_, index);
    return static_cast<std::int64_t>(end - begin);
}

SidePieces CorpusSide::pieces(std::int64_t index) const {
    const auto [begin, end] = range_of(ends_, index);
    const auto* const ids = reinterpret_cast<const std::int32_t*>(ids_.data());
    SidePieces result{{ids + begin, ids + end}, {}};
    if (keep_words_) {
        const auto* const words = reinterpret_cast<const std::int32_t*>(words_.data());
        result.words.assign(words + begin, words + end);
    }
    return result;
}

SidePieces CorpusSide::sampled(std::int64_t index, std::uint64_t key) const {
    if (!keep_text_) {
        throw Error(ExitCode::internal, "subword sampling needs a corpus that holds its text");
    }
    const auto [begin, end] = range_of(text_ends_, index);
    const std::string text(text_.data() + begin, end - begin);
    if (!keep_words_) {
        return {tokenizer_.sample(text, key), {}};
    }
    const auto pieces = tokenizer_.sampled_segment(text, key);
    return {ids_of(pieces), word_numbers(text, tokenizer_, pieces)};
}

}  // namespace softalign
