#include "document/placeholders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/text_units.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"

namespace softalign {

namespace {

using Spans = std::map<std::string_view, std::vector<TextRange>>;

// The spans of a text by what they are, and in order.
std::vector<TextRange> spans_of(const SpanFinder& finder, std::string_view text) {
    std::vector<TextRange> spans = placeholders_in(text);
    add_apart(spans, finder.find(text));
    add_apart(spans, numbers_of(text));
    return spans;
}

Spans by_text(const std::vector<TextRange>& spans, std::string_view text) {
    Spans result;
    for (const TextRange& span : spans) {
        result[span.of(text)].push_back(span);
    }
    return result;
}

struct Replacement {
    TextRange span;
    std::size_t number;
};

void replace(std::vector<Replacement> all, std::string& text) {
    std::sort(all.begin(), all.end(),
              [](const Replacement& a, const Replacement& b) { return a.span.begin > b.span.begin; });
    for (const Replacement& one : all) {
        text.replace(one.span.begin, one.span.size(), placeholder(one.number));
    }
}

bool is_space_at(std::string_view text, std::size_t at) {
    return at < text.size() && is_blank(text.substr(at, 1));
}

bool is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// With a space where two numbers or words would become one.
void append_apart(std::string_view more, std::string& text) {
    if (!text.empty() && !more.empty() && is_word_byte(text.back()) && is_word_byte(more.front())) {
        text += ' ';
    }
    text += more;
}

}  // namespace

std::vector<TextRange> placeholders_in(std::string_view text) {
    std::vector<TextRange> found;
    for (std::size_t at = find_placeholder(text, 0); at != std::string_view::npos;
         at = find_placeholder(text, found.back().end)) {
        found.push_back({at, at + placeholder_size(text.substr(at))});
    }
    return found;
}

void put_placeholders(const SpanFinder& spans, std::size_t most, std::string& source, std::string& target) {
    const std::vector<TextRange> in_source = spans_of(spans, source);
    if (in_source.empty()) {
        return;
    }
    const Spans of_source = by_text(in_source, source);
    const Spans of_target = by_text(spans_of(spans, target), target);
    std::vector<Replacement> source_changes;
    std::vector<Replacement> target_changes;
    std::map<std::string_view, std::size_t> done;  // how many of each
    for (const TextRange& span : in_source) {
        const std::string_view text = span.of(source);
        const auto there = of_target.find(text);
        if (source_changes.size() == most || there == of_target.end() ||
            there->second.size() != of_source.at(text).size()) {
            continue;
        }
        const std::size_t number = source_changes.size();
        source_changes.push_back({span, number});
        target_changes.push_back({there->second[done[text]++], number});
    }
    replace(std::move(source_changes), source);
    replace(std::move(target_changes), target);
}

std::vector<std::string> hold_copies(MarkedSentence& sentence, std::size_t most) {
    std::vector<std::string> held;
    std::vector<MarkedSentence::Copy> left;
    std::size_t added = 0;  // bytes of the text in front
    const auto move_from = [&](std::size_t place, std::size_t bytes) {
        for (MarkedSentence::Tag& tag : sentence.tags) {
            tag.range.begin += tag.range.begin >= place ? bytes : 0;
            tag.range.end += tag.range.end >= place ? bytes : 0;
        }
    };
    for (MarkedSentence::Copy copy : sentence.copies) {
        copy.at += added;
        if (held.size() == most) {
            left.push_back(copy);
            continue;
        }
        std::string text = placeholder(held.size());
        if (copy.spaced_before && copy.at > 0 && !is_space_at(sentence.text, copy.at - 1)) {
            text.insert(0, " ");
        }
        if (copy.spaced_behind && copy.at < sentence.text.size() && !is_space_at(sentence.text, copy.at)) {
            text += " ";
        }
        sentence.text.insert(copy.at, text);
        move_from(copy.at, text.size());
        added += text.size();
        held.push_back(copy.text);
    }
    sentence.copies = std::move(left);
    return held;
}

std::string with_held(std::string_view translation, const std::vector<std::string>& held) {
    std::string result;
    std::vector<bool> written(held.size(), false);
    std::size_t done = 0;
    for (const TextRange& range : placeholders_in(translation)) {
        append_apart(translation.substr(done, range.begin - done), result);
        done = range.end;
        const std::size_t number = placeholder_number(range.of(translation));
        if (number < held.size() && !written[number]) {
            written[number] = true;
            append_apart(held[number], result);
        } else if ((result.empty() || is_space_at(result, result.size() - 1)) && is_space_at(translation, done)) {
            ++done;  // one space is enough where there was something between two
        }
    }
    append_apart(translation.substr(done), result);
    for (std::size_t number = 0; number < held.size(); ++number) {
        if (!written[number]) {
            result += (result.empty() ? "" : " ") + held[number];
        }
    }
    return result;
}

}  // namespace softalign
