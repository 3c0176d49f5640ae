#include "data/alignment_side.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/strings.h"
#include "data/parallel_lines.h"

namespace softalign {

namespace {

// Reads a number at the beginning of `text` and takes it off.
bool take_number(std::string_view& text, std::int32_t& number) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return fault == std::errc() && number >= 0;
}

WordLink parse_link(std::string_view field) {
    WordLink link;
    std::string_view rest = field;
    const bool first = take_number(rest, link.source) && !rest.empty() && rest.front() == '-';
    rest.remove_prefix(first ? 1 : 0);
    if (!first || !take_number(rest, link.target) || !rest.empty()) {
        constexpr std::size_t most_shown = 40;  // bytes
        throw Error(ExitCode::data, "\"" + terminal_text(field.substr(0, most_shown)) +
                                        "\" is not a link; expected the numbers of a source and a target word from 0, "
                                        "such as 3-4");
    }
    return link;
}

auto in_order(const WordLink& link) {
    return std::tie(link.source, link.target);
}

Error error_at(const LineReader& reader, const std::string& what) {
    return {ExitCode::data, reader.place() + ": " + what};
}

}  // namespace

std::vector<WordLink> parse_links(std::string_view line) {
    constexpr std::string_view separators = " \t";
    std::vector<WordLink> links;
    for (std::size_t begin = line.find_first_not_of(separators); begin != std::string_view::npos;
         begin = line.find_first_not_of(separators)) {
        line.remove_prefix(begin);
        const std::string_view field = line.substr(0, line.find_first_of(separators));
        links.push_back(parse_link(field));
        line.remove_prefix(field.size());
    }
    std::sort(links.begin(), links.end(),
              [](const WordLink& a, const WordLink& b) { return in_order(a) < in_order(b); });
    const auto equal = [](const WordLink& a, const WordLink& b) { return in_order(a) == in_order(b); };
    links.erase(std::unique(links.begin(), links.end(), equal), links.end());
    return links;
}

std::vector<PieceLink> links_of_pieces(const std::vector<WordLink>& links, const std::vector<std::int32_t>& source,
                                       const std::vector<std::int32_t>& target) {
    std::vector<PieceLink> result;
    for (const WordLink& link : links) {
        const auto [source_begin, source_end] = std::equal_range(source.begin(), source.end(), link.source);
        const auto [target_begin, target_end] = std::equal_range(target.begin(), target.end(), link.target);
        for (auto from = source_begin; from != source_end; ++from) {
            for (auto to = target_begin; to != target_end; ++to) {
                result.push_back(
                    {static_cast<std::int32_t>(from - source.begin()), static_cast<std::int32_t>(to - target.begin())});
            }
        }
    }
    return result;
}

AlignmentSide::AlignmentSide(const std::string& directory) : links_(directory), ends_(directory) {}

void AlignmentSide::open(const std::string& path) {
    reader_ = std::make_unique<LineReader>(path);
}

bool AlignmentSide::next() {
    if (!reader_->next(line_)) {
        return false;
    }
    try {
        read_ = parse_links(line_);
    } catch (const Error& error) {
        throw error_at(*reader_, error.what());
    }
    return true;
}

void AlignmentSide::add(std::size_t source_words, std::size_t target_words) {
    for (const WordLink& link : read_) {
        const bool is_source = static_cast<std::size_t>(link.source) >= source_words;
        if (is_source || static_cast<std::size_t>(link.target) >= target_words) {
            throw error_at(*reader_, "the link " + std::to_string(link.source) + "-" + std::to_string(link.target) +
                                         " is beyond the " + (is_source ? "source" : "target") +
                                         " sentence, whose last word is number " +
                                         std::to_string((is_source ? source_words : target_words) - 1) +
                                         "; the file must have been made from the same texts, with words between "
                                         "white space counted from 0");
        }
    }
    links_.append(read_.data(), read_.size() * sizeof(WordLink));
    count_ += read_.size();
    ends_.append(&count_, sizeof count_);
    checksum_ = crc32c("\n", 1, crc32c(line_.data(), line_.size(), checksum_));
}

void AlignmentSide::finish() {
    links_.finish();
    ends_.finish();
}

std::vector<WordLink> AlignmentSide::links(std::int64_t index) const {
    const auto [begin, end] = range_of(ends_, index);
    const auto* const all = reinterpret_cast<const WordLink*>(links_.data());
    return {all + begin, all + end};
}

std::string AlignmentSide::count_lines() {
    while (reader_->next(line_)) {
    }
    return count_of_lines({reader_->name()}, reader_->line_number());
}

}  // namespace softalign
