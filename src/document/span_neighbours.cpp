#include "document/span_neighbours.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "document/placeholders.h"
#include "document/text_range.h"
#include "document/text_units.h"
#include "text/placeholder_pieces.h"

namespace softalign {

namespace {

// Whether a letter or digit is at the beginning or end, of which underscores, as Markdown has, may be in front or
// behind.
bool letter_begins(std::string_view text) {
    return begins_with_word(text.substr(std::min(text.find_first_not_of('_'), text.size())));
}

bool letter_ends(std::string_view text) {
    return ends_with_word(text.substr(0, text.find_last_not_of('_') + 1));
}

// The sentence's copies at a place of its text.
auto copies_at(const MarkedSentence& sentence, std::size_t place) {
    MarkedSentence::Copy there;
    there.at = place;
    return std::equal_range(sentence.copies.begin(), sentence.copies.end(), there,
                            [](const auto& a, const auto& b) { return a.at < b.at; });
}

bool is_same(const MarkedSentence::Copy* held, const MarkedSentence::Copy& span) {
    return held != nullptr && held->place == span.place;
}

// Whether one of these is white space or has some beside it.
template <typename Copies>
bool has_space(Copies first, Copies last) {
    return std::any_of(first, last,
                       [](const auto& copy) { return copy.is_space || copy.spaced_before || copy.spaced_behind; });
}

bool touches_before(const MarkedSentence& sentence, const MarkedSentence::Copy& span,
                    const MarkedSentence::Copy* other) {
    const std::string_view before = std::string_view(sentence.text).substr(0, span.at);
    const std::vector<TextRange> held = sentence.held.empty() ? std::vector<TextRange>() : placeholders_in(before);
    const bool ends_in_held = !held.empty() && held.back().end == before.size();
    const auto [first, last] = copies_at(sentence, before.size());
    const auto own = std::partition_point(first, last, [&](const auto& copy) { return copy.place < span.place; });
    const auto copy = std::find_if(std::make_reverse_iterator(own), std::make_reverse_iterator(first), is_seen);
    if (has_space(copy.base(), own)) {
        return false;
    }
    const bool has_copy = copy.base() != first;
    if (other == nullptr) {
        return !has_copy && letter_ends(before);
    }
    return ends_in_held ? is_same(held_copy(sentence, held.back().of(before)), *other)
                        : has_copy && is_same(&*copy, *other);
}

bool touches_behind(const MarkedSentence& sentence, const MarkedSentence::Copy& span,
                    const MarkedSentence::Copy* other) {
    std::string_view behind = std::string_view(sentence.text).substr(span.at);
    const auto first_held = [&] {
        return sentence.held.empty() ? std::string_view() : behind.substr(0, placeholder_size(behind));
    };
    std::string_view held = first_held();
    if (is_same(held_copy(sentence, held), span)) {
        behind.remove_prefix(held.size());
        held = first_held();
    }
    const auto [first, last] = copies_at(sentence, sentence.text.size() - behind.size());
    const auto next = std::partition_point(first, last, [&](const auto& copy) { return copy.place <= span.place; });
    const auto copy = std::find_if(next, last, is_seen);
    if (has_space(next, copy)) {
        return false;
    }
    if (other == nullptr) {
        return copy == last && letter_begins(behind);
    }
    return !held.empty() ? is_same(held_copy(sentence, held), *other) : copy != last && is_same(&*copy, *other);
}

}  // namespace

const MarkedSentence::Copy* held_copy(const MarkedSentence& sentence, std::string_view text) {
    const std::size_t number = is_placeholder(text) ? placeholder_number(text) : sentence.held.size();
    return number < sentence.held.size() ? &sentence.held[number] : nullptr;
}

bool touches(const MarkedSentence& sentence, const MarkedSentence::Copy& span, bool behind,
             const MarkedSentence::Copy* other) {
    if (behind) {
        return !span.spaced_behind && touches_behind(sentence, span, other);
    }
    return !span.spaced_before && touches_before(sentence, span, other);
}

}  // namespace softalign
