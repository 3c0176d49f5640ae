#include "data/corpus_side.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"

namespace softalign {

namespace {

// Where sentence `index` begins and ends.
std::pair<std::uint64_t, std::uint64_t> range_of(const WrittenBytes& ends, std::int64_t index) {
    const auto* const numbers = reinterpret_cast<const std::uint64_t*>(ends.data());
    return {index == 0 ? 0 : numbers[index - 1], numbers[index]};
}

}  // namespace

CorpusSide::CorpusSide(const Tokenizer& tokenizer, const CorpusStorage& storage)
    : tokenizer_(tokenizer),
      keep_text_(storage.keep_text),
      ids_(storage.directory),
      ends_(storage.directory),
      text_(storage.keep_text ? storage.directory : ""),
      text_ends_(storage.keep_text ? storage.directory : "") {}

void CorpusSide::add(const std::vector<std::int32_t>& pieces, const std::string& line) {
    ids_.append(pieces.data(), pieces.size() * sizeof(std::int32_t));
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
    for (WrittenBytes* bytes : {&ids_, &ends_, &text_, &text_ends_}) {
        bytes->finish();
    }
}

std::int64_t CorpusSide::length(std::int64_t index) const {
    const auto [begin, end] = range_of(ends_, index);
    return static_cast<std::int64_t>(end - begin);
}

std::vector<std::int32_t> CorpusSide::pieces(std::int64_t index) const {
    const auto [begin, end] = range_of(ends_, index);
    const auto* const ids = reinterpret_cast<const std::int32_t*>(ids_.data());
    return {ids + begin, ids + end};
}

std::vector<std::int32_t> CorpusSide::sampled(std::int64_t index, std::uint64_t key) const {
    if (!keep_text_) {
        throw Error(ExitCode::internal, "subword sampling needs a corpus that holds its text");
    }
    const auto [begin, end] = range_of(text_ends_, index);
    return tokenizer_.sample(std::string_view(text_.data() + begin, end - begin), key);
}

}  // namespace softalign
