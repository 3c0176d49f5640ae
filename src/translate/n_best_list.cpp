#include "translate/n_best_list.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/strings.h"
#include "text/words.h"

namespace softalign {

namespace {

constexpr std::string_view separator = "|||";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Calls found(begin, bars) for each word of a text that is a separator behind any number of backslashes: where the word
// begins, and where its bars do.
template <typename Found>
void each_separator(std::string_view text, const Found& found) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const std::size_t backslashes = std::min(word.find_first_not_of('\\'), word.size());
        if (word.substr(backslashes) == separator) {
            found(begin, begin + backslashes);
        }
        begin = end + 1;
    }
}

// The fields between separators that stand alone, with white space or an end of the line on either side.
std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    std::size_t field = 0;
    each_separator(line, [&](std::size_t begin, std::size_t bars) {
        if (begin == bars) {
            fields.push_back(trimmed(line.substr(field, begin - field)));
            field = begin + separator.size();
        }
    });
    fields.push_back(trimmed(line.substr(field)));
    return fields;
}

// A text as a field: every word |||, with any number of backslashes in front, gets one more.
std::string escaped(std::string_view text) {
    std::string result;
    std::size_t done = 0;
    each_separator(text, [&](std::size_t begin, std::size_t) {
        result.append(text.substr(done, begin - done)) += '\\';
        done = begin;
    });
    return result.append(text.substr(done));
}

// And back.
std::string unescaped(std::string_view field) {
    std::string result;
    std::size_t done = 0;
    each_separator(field, [&](std::size_t begin, std::size_t bars) {
        result.append(field.substr(done, begin - done));
        done = begin + (begin < bars ? 1 : 0);
    });
    return result.append(field.substr(done));
}

// Whether a field is what programs write as features: names that end in "=" or ":", names and values joined by "=", and
// numbers. What is not may be the rest of a text with a separator inside.
bool holds_features(std::string_view field) {
    for (const std::string_view word : words_of(field)) {
        double number = 0.0;
        if (word.find('=') == std::string_view::npos && word.back() != ':' && !read_number(word, number)) {
            return false;
        }
    }
    return true;
}

// Empty where the line is an entry, which is put into `entry`; else what is wrong with it.
std::string parse(std::string_view line, NBestEntry& entry) {
    const std::vector<std::string_view> fields = fields_of(line);
    const bool has_columns = fields.size() == 3 || fields.size() == 4;
    if (!has_columns || !read_number(fields[0], entry.index) || entry.index < 0 ||
        !read_number(fields.back(), entry.value) || !std::isfinite(entry.value)) {
        return "not an entry of an n-best list; write \"number of the sentence ||| text ||| score\", or features "
               "before the score; a ||| inside a text is written \\|||";
    }
    entry.text = unescaped(fields[1]);
    entry.features = fields.size() == 4 ? fields[2] : std::string_view();
    entry.score = fields.back();
    return holds_features(entry.features)
               ? ""
               : "the column before the score has no features, such as \"Name= 1.5\"; where it is a part of the text, "
                 "write the ||| in front of it as \\|||";
}

}  // namespace

std::string to_line(const NBestEntry& entry) {
    return fmt::format("{} ||| {} ||| {}{}{}", entry.index, escaped(entry.text), entry.features,
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

bool is_feature_name(std::string_view name) {
    return words_of(name) == std::vector<std::string_view>{name} && terminal_text(name) == name &&
           name.find_first_of("=|:") == std::string_view::npos;
}

void add_feature(NBestEntry& entry, const std::string& name, double value) {
    entry.features += fmt::format("{}{}= {:.6f}", entry.features.empty() ? "" : " ", name, value);
}

NBestReader::NBestReader(const std::string& list, const std::string& source, bool complete, SourceType type)
    : list_(list), source_(source, type), complete_(complete) {}

Error NBestReader::fault(std::int64_t line, const std::string& what) const {
    return {ExitCode::data, list_.name() + ":" + std::to_string(line) + ": " + what};
}

bool NBestReader::read_entry() {
    std::string line;
    if (!list_.next(line)) {
        return false;
    }
    list_.require_utf8(line);
    if (const std::string wrong = parse(line, ahead_); !wrong.empty()) {
        throw fault(list_.line_number(), wrong);
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
                                             ", which has " + counted(source_.line_number(), "line") +
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
        if (complete_ && without_entries_ > 0 && list_.line_number() == 0) {
            throw Error(ExitCode::data,
                        list_.name() + ": the list is empty; it must have an entry for each line of " + source_.name());
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
                    "an entry of sentence " + std::to_string(ahead_.index) + " after those of sentence " +
                        std::to_string(index) +
                        "; the entries of a sentence must stand together, sentences in their order");
    }
    return true;
}

}  // namespace softalign
