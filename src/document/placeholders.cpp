#include "document/placeholders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "document/mark_placement.h"
#include "document/marked_text.h"
#include "document/span_neighbours.h"
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

// A part of a word of a translation: a span, or the text beside it.
struct Part {
    std::string_view text;
    const MarkedSentence::Copy* span = nullptr;

    std::string_view written() const { return span != nullptr ? std::string_view(span->text) : text; }
};

// Whether there is a space between two of them, one of which is a span of the sentence.
bool are_apart(const Part& a, const Part& b, const MarkedSentence& sentence) {
    const bool spaced = (a.span != nullptr && a.span->spaced_behind) || (b.span != nullptr && b.span->spaced_before);
    if ((a.span != nullptr && a.span->is_space) || (b.span != nullptr && b.span->is_space)) {
        return spaced;
    }
    const bool ends = a.span != nullptr || ends_with_word(a.text);
    const bool begins = b.span != nullptr || begins_with_word(b.text);
    return (ends_with_word(a.written()) && begins_with_word(b.written())) ||
           (a.span != nullptr && begins && !touches(sentence, *a.span, true, b.span)) ||
           (b.span != nullptr && ends && !touches(sentence, *b.span, false, a.span)) ||
           (spaced && (a.span != nullptr || allows_space_behind(a.text)) &&
            (b.span != nullptr || allows_space_before(b.text)));
}

// The parts of a word; of a span that is there already, none.
std::vector<Part> parts_of_word(std::string_view word, const std::vector<MarkedSentence::Copy>& held,
                                std::vector<bool>& written) {
    std::vector<Part> parts;
    const auto add_text = [&](std::size_t begin, std::size_t end) {
        if (begin < end) {
            parts.push_back({word.substr(begin, end - begin)});
        }
    };
    std::size_t done = 0;
    for (const TextRange& range : placeholders_in(word)) {
        add_text(done, range.begin);
        done = range.end;
        const std::size_t number = placeholder_number(range.of(word));
        if (number < held.size() && !written[number]) {
            written[number] = true;
            parts.push_back({range.of(word), &held[number]});
        }
    }
    add_text(done, word.size());
    return parts;
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

std::function<void(std::string& source, std::string& target)> placeholder_rewriting(std::size_t most) {
    if (most == 0) {
        return nullptr;
    }
    return [spans = std::make_shared<const SpanFinder>(true, std::vector<std::string>()), most](
               std::string& source, std::string& target) { put_placeholders(*spans, most, source, target); };
}

namespace {

// With so many bytes in the place of a copy. What begins or ends there keeps the copy inside or outside of it.
void move_tags(const MarkedSentence::Copy& copy, std::size_t bytes, std::vector<MarkedSentence::Tag>& tags) {
    std::vector<bool> is_outer(tags.size(), false);
    for (std::size_t outer = copy.outer; outer != MarkedSentence::nothing; outer = tags[outer].outer) {
        is_outer[outer] = true;
    }
    for (std::size_t i = 0; i < tags.size(); ++i) {
        TextRange& range = tags[i].range;
        const bool is_behind = range.begin > copy.at || (range.begin == copy.at && tags[i].place > copy.place);
        range.begin += is_behind ? bytes : 0;
        range.end += is_behind || is_outer[i] || range.end > copy.at ? bytes : 0;
    }
}

}  // namespace

void hold_copies(MarkedSentence& sentence, std::size_t most) {
    std::vector<MarkedSentence::Copy> left;
    std::size_t added = 0;  // bytes of the text in front
    const auto last_held = std::find_if(sentence.copies.rbegin(), sentence.copies.rend(), has_content);
    for (MarkedSentence::Copy& copy : sentence.copies) {
        const bool is_last = last_held != sentence.copies.rend() && &copy == &*last_held;
        copy.at += added;
        const bool is_left = sentence.held.size() == most || !has_content(copy);
        const std::string_view before = std::string_view(sentence.text).substr(0, copy.at);
        const std::string_view behind = std::string_view(sentence.text).substr(copy.at);
        const bool is_behind_text = !before.empty() && !is_blank_at(before, before.size() - 1);
        const bool space_before = copy.spaced_before && is_behind_text;
        const bool space_behind = copy.spaced_behind && !behind.empty() && !is_blank_at(behind, 0);
        std::string text;
        std::size_t replaced = 0;
        if (is_left) {
            // The space that is left out where there is something else in front of it (marked_sentence).
            const bool is_space = copy.is_space && !behind.empty() && !is_blank_at(behind, 0);
            text = (space_behind || is_space) && is_behind_text ? " " : "";
        } else {
            // The space that stands for the copy itself (marked_sentence).
            replaced = copy.is_space && !copy.spaced_before && !copy.spaced_behind && starts_with(behind, " ") ? 1 : 0;
            text = (space_before ? " " : "") + placeholder(sentence.held.size()) + (space_behind ? " " : "");
            // The ends of a sentence, and scripts without spaces, have the span apart as well.
            if (!copy.is_space) {
                copy.spaced_before = copy.spaced_before || before.empty() || ends_wide(before);
                copy.spaced_behind = copy.spaced_behind || (behind.empty() && is_last) || begins_wide(behind);
            }
        }
        sentence.text.replace(copy.at, replaced, text);
        move_tags(copy, text.size() - replaced, sentence.tags);
        added += text.size() - replaced;
        copy.at += !is_left && space_before ? 1 : 0;
        (is_left ? left : sentence.held).push_back(std::move(copy));
    }
    sentence.copies = std::move(left);
}

std::string as_the_model_writes(std::string_view text, const std::vector<TextRange>& spans,
                                const MarkedSentence& sentence, std::vector<bool>& used) {
    std::vector<TextRange> parts = placeholders_in(text);
    std::vector<bool> here(used.size(), false);
    for (const TextRange& range : parts) {
        if (const std::size_t number = placeholder_number(range.of(text)); number < sentence.held.size()) {
            here[number] = true;
        }
    }
    add_apart(parts, spans);
    const auto is_span = [&](std::size_t i, TextRange span) {
        const std::size_t held = sentence.held.size();
        return (i < held ? sentence.held[i] : sentence.copies[i - held]).text == span.of(text);
    };
    std::string result;
    std::size_t done = 0;
    for (const TextRange& span : parts) {
        std::size_t best = used.size();
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (is_span(i, span) && !here[i] && (best == used.size() || (used[best] && !used[i]))) {
                best = i;
            }
        }
        if (best == used.size()) {
            continue;
        }
        here[best] = true;
        const bool is_held = best < sentence.held.size();
        result += text.substr(done, span.begin - done);
        result += is_held ? placeholder(best) : "";
        done = span.end;
        const bool is_space = !is_held && is_escape(span.of(text));
        result += is_space && !result.empty() && result.back() != ' ' ? " " : "";
        if (!is_held && (result.empty() || result.back() == ' ') && done < text.size() && text[done] == ' ') {
            ++done;  // of the two spaces around it
        }
    }
    std::transform(used.begin(), used.end(), here.begin(), used.begin(), std::logical_or<>());
    return result.append(text.substr(done));
}

namespace {

// Leaves the first placeholder of each number that is not written yet.
void write_held(LinkedTranslation& translation, std::vector<bool>& written) {
    std::string text;
    WordLinks links;
    std::size_t word_number = 0;
    bool changed = false;
    translation.links.resize(words_of(translation.text).size());
    for (const std::string_view word : words_of(translation.text)) {
        const std::vector<Part> parts = parts_of_word(word, translation.source.held, written);
        std::string whole;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool apart = i == 0 || are_apart(parts[i - 1], parts[i], translation.source);
            if (apart) {
                links.push_back(translation.links[word_number]);
            }
            whole += (apart && i > 0 ? " " : "") + std::string(parts[i].text);
        }
        text += (text.empty() || whole.empty() ? "" : " ") + whole;
        changed = changed || whole != word;
        ++word_number;
    }
    if (changed) {
        translation.text = std::move(text);
        translation.links = std::move(links);
    }
}

void copy_held(MarkedSentence& sentence, const std::vector<bool>& which) {
    for (std::size_t number = 0; number < sentence.held.size(); ++number) {
        if (which[number]) {
            sentence.copies.push_back(sentence.held[number]);
        }
    }
    std::sort(sentence.copies.begin(), sentence.copies.end(), is_in_front);
}

}  // namespace

LinkedTranslation with_held(LinkedTranslation translation) {
    std::vector<bool> written(translation.source.held.size(), false);
    write_held(translation, written);
    written.flip();
    copy_held(translation.source, written);
    return translation;
}

LinkedTranslation without_held(LinkedTranslation translation, std::vector<bool> removed) {
    copy_held(translation.source, removed);
    write_held(translation, removed);
    return translation;
}

}  // namespace softalign
