#include "translate/n_best_list.h"

#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "text/words.h"

namespace softalign {

namespace {

constexpr std::string_view separator = "|||";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The fields between separators that stand alone, with white space or an end of the line on either side.
std::vector<std::string_view> fields_of(std::string_view line) {
    const auto is_space = [&](std::size_t at) { return at >= line.size() || line[at] == ' ' || line[at] == '\t'; };
    std::vector<std::string_view> fields;
    std::size_t begin = 0;
    std::size_t at = line.find(separator);
    while (at != std::string_view::npos) {
        const std::size_t end = at + separator.size();
        const bool alone = (at == 0 || is_space(at - 1)) && is_space(end);
        if (alone) {
            fields.push_back(trimmed(line.substr(begin, at - begin)));
            begin = end;
        }
        at = line.find(separator, alone ? end : at + 1);
    }
    fields.push_back(trimmed(line.substr(begin)));
    return fields;
}

template <typename Number>
bool read_number(std::string_view text, Number& value) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size();
}

// False where the line is no entry.
bool parse(std::string_view line, NBestEntry& entry) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() < 3 || fields.size() > 4) {
        return false;
    }
    entry.text = fields[1];
    entry.features = fields.size() == 4 ? fields[2] : std::string_view();
    entry.score = fields.back();
    return read_number(fields[0], entry.index) && entry.index >= 0 && read_number(fields.back(), entry.value) &&
           std::isfinite(entry.value);
}

}  // namespace

std::string to_line(const NBestEntry& entry) {
    return fmt::format("{} ||| {} ||| {}{}{}", entry.index, entry.text, entry.features,
                       entry.features.empty() ? "" : " ||| ", entry.score);
}

bool has_feature(const NBestEntry& entry, const std::string& name) {
    for (const std::string_view word : words_of(entry.features)) {
        if (word == name + "=") {
            return true;
        }
    }
    return false;
}

void add_feature(NBestEntry& entry, const std::string& name, double value) {
    entry.features += fmt::format("{}{}= {:.6f}", entry.features.empty() ? "" : " ", name, value);
}

NBestReader::NBestReader(const std::string& list, const std::string& source, bool complete)
    : list_(list), source_(source), complete_(complete) {}

Error NBestReader::fault(std::int64_t line, const std::string& what) const {
    return {ExitCode::data, list_.name() + ":" + std::to_string(line) + ": " + what};
}

bool NBestReader::read_entry() {
    std::string line;
    if (!list_.next(line)) {
        return false;
    }
    list_.require_utf8(line);
    if (!parse(line, ahead_)) {
        throw fault(list_.line_number(),
                    "not an entry of an n-best list; write \"number of the sentence ||| text ||| score\", or features "
                    "before the score");
    }
    return true;
}

// Passes by the sentences before `index`, which have no entry.
void NBestReader::skip(std::int64_t index) {
    std::string ignored;
    while (source_.line_number() < index && source_.next(ignored)) {
        if (complete_) {
            throw fault(list_.line_number(), "sentence " + std::to_string(source_.line_number() - 1) +
                                                 " has no entry before this one; the list must have one for each line "
                                                 "of " +
                                                 source_.name());
        }
        ++without_entries_;
    }
}

void NBestReader::read_source(NBestBlock& block) {
    const std::int64_t index = ahead_.index;
    skip(index);
    if (source_.line_number() < index || !source_.next(block.source)) {
        throw fault(list_.line_number(), "sentence " + std::to_string(index) + " is beyond " + source_.name() +
                                             ", which has " + std::to_string(source_.line_number()) +
                                             (source_.line_number() == 1 ? " line" : " lines") +
                                             "; sentences count from 0: is the list of another source?");
    }
    source_.require_utf8(block.source);
}

bool NBestReader::next(NBestBlock& block) {
    if (!has_ahead_ && !read_entry()) {
        std::string ignored;
        while (source_.next(ignored)) {
            ++without_entries_;
        }
        if (complete_ && without_entries_ > 0) {
            throw fault(list_.line_number(), "the list ends here, without an entry for the last " +
                                                 std::to_string(without_entries_) + " of the " +
                                                 std::to_string(source_.line_number()) + " lines of " + source_.name());
        }
        return false;
    }
    block.entries.clear();
    block.first_line = list_.line_number();
    read_source(block);
    const std::int64_t index = ahead_.index;
    do {
        block.entries.push_back(std::move(ahead_));
        has_ahead_ = read_entry();
    } while (has_ahead_ && ahead_.index == index);
    if (has_ahead_ && ahead_.index < index) {
        throw fault(list_.line_number(),
                    "an entry of sentence " + std::to_string(ahead_.index) + " behind those of sentence " +
                        std::to_string(index) +
                        "; the entries of a sentence must stand together, sentences in their order");
    }
    return true;
}

}  // namespace softalign
