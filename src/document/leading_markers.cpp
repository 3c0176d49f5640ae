#include "document/leading_markers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "document/marked_text.h"
#include "document/text_range.h"
#include "document/text_units.h"

namespace softalign {

namespace {

constexpr std::array<std::string_view, 7> signs{"-", "*", ">", "\u2013", "\u2014", "\u2022", "#"};

// The number of an item that a text begins with: "1." and "12)". Longer ones may be years.
std::string_view item_number(std::string_view text) {
    constexpr std::size_t longest = 2;
    const std::size_t end = text.find_first_not_of("0123456789");
    const bool is_item = end > 0 && end <= longest && (text[end] == '.' || text[end] == ')');
    return text.substr(0, is_item ? end + 1 : 0);
}

}  // namespace

// The atom that a part of the text begins with, or null.
const Atom* LeadingMarkers::atom_at(TextRange rest) const {
    const auto atom = first_atom_from(text_, rest.begin);
    const bool is_there = atom != text_.atoms.end() && atom->range.begin == rest.begin && atom->range.end <= rest.end;
    return is_there ? &*atom : nullptr;
}

std::size_t LeadingMarkers::behind_space(TextRange rest) const {
    while (rest.size() > 0 && is_blank_at(line_, rest.begin)) {
        ++rest.begin;
    }
    return rest.begin;
}

// Behind the comments, images and the like that a part of HTML begins with.
std::size_t LeadingMarkers::behind_unseen(TextRange rest) const {
    if (text_.markup == Markup::html) {
        for (const Atom* atom = atom_at(rest); atom != nullptr && !atom->is_space && atom->seen.empty();
             atom = atom_at(rest)) {
            rest.begin = atom->range.end;
        }
    }
    return rest.begin;
}

bool LeadingMarkers::is_in_term(std::size_t place) const {
    const auto term = first_ending_behind(terms_, place);
    return term != terms_.end() && term->begin <= place;
}

// Whether a tag that begins in front of a place ends behind it, within the words of the sentence: without its
// beginning, it could only be put at the beginning of the translation.
bool LeadingMarkers::divides_tag(TextRange sentence, std::size_t place) const {
    const auto is_divided = [&](const TagPair& mark) {
        return mark.range.end > place && mark.range.end < sentence.end &&
               has_letter(TextRange{mark.range.end, sentence.end}.of(line_));
    };
    const auto begins_before = [](const TagPair& mark, std::size_t at) { return mark.range.begin < at; };
    const auto first = std::lower_bound(text_.marks.begin(), text_.marks.end(), sentence.begin, begins_before);
    return std::any_of(first, std::lower_bound(first, text_.marks.end(), place, begins_before), is_divided);
}

LeadingMarkers::Marker LeadingMarkers::marker_of_atom(const Atom& atom, TextRange rest) const {
    if (text_.markup == Markup::none && std::find(signs.begin(), signs.end(), atom.text) != signs.end()) {
        return {atom.text, atom.range.end};
    }
    const std::size_t end = atom.range.end;
    const std::string whole = atom.text + std::string(TextRange{end, rest.end}.of(line_).substr(0, 1));
    const bool is_item = whole.size() > atom.text.size() && item_number(whole) == whole;
    return is_item ? Marker{atom.text, end + 1} : Marker{"", rest.begin};
}

// The marker that a part of a sentence begins with.
LeadingMarkers::Marker LeadingMarkers::marker_at(TextRange rest) const {
    const Marker none{"", rest.begin};
    const std::size_t seen = behind_unseen(rest);
    if (seen > rest.begin) {
        rest.begin = behind_space({seen, rest.end});
    }
    if (is_in_term(rest.begin)) {
        return none;
    }
    if (const Atom* const atom = atom_at(rest); atom != nullptr) {
        return marker_of_atom(*atom, rest);
    }
    const std::string_view text = rest.of(line_);
    const auto* const sign =
        std::find_if(signs.begin(), signs.end(), [text](std::string_view one) { return starts_with(text, one); });
    const bool is_sign = text_.markup == Markup::none && sign != signs.end();
    const std::string_view marker = is_sign ? *sign : item_number(text);
    return {marker, rest.begin + marker.size()};
}

TextRange LeadingMarkers::without(TextRange sentence) const {
    while (sentence.size() > 0) {
        Marker marker = marker_at(sentence);
        if (marker.text.empty()) {
            break;
        }
        if (marker.text == "#" || marker.text == ">") {
            for (Marker more = marker; more.text == marker.text; more = marker_at({marker.end, sentence.end})) {
                marker.end = more.end;
            }
        }
        const std::size_t end = behind_unseen({marker.end, sentence.end});
        const std::size_t next = behind_space({end, sentence.end});
        if ((next == end && next < sentence.end) || divides_tag(sentence, next)) {
            break;
        }
        sentence.begin = next;
    }
    return sentence;
}

}  // namespace softalign
