#include "document/seen_text.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/sentences.h"
#include "text/words.h"

namespace softalign {

namespace {

// What may be in front of a number that is an amount.
bool is_sign(UChar32 character) {
    constexpr UChar32 minus = 0x2212;
    constexpr UChar32 section = 0xA7;
    const auto type = u_charType(character);
    return type == U_CURRENCY_SYMBOL || type == U_OTHER_SYMBOL || character == '-' || character == '+' ||
           character == '#' || character == minus || character == section;
}

std::string as_seen(const Atom& atom) {
    const std::string_view text = trimmed(atom.seen, {0, atom.seen.size()}).of(atom.seen);
    const auto size = static_cast<std::int64_t>(text.size());
    bool only_signs = true;  // so far
    bool is_number = false;  // at its beginning, behind signs
    std::size_t number = 0;
    for (std::int64_t at = 0; at < size;) {
        const auto begin = static_cast<std::size_t>(at);
        UChar32 character = 0;
        U8_NEXT(text.data(), at, size, character);
        const bool is_digit = character > 0 && u_isdigit(character);
        if (is_digit && only_signs) {
            is_number = true;
            number = begin;
        }
        if (character > 0 && u_isalnum(character) && !(is_digit && is_number)) {
            return std::string(text.substr(number, is_number ? begin - number : 0)).append(object_mark);
        }
        only_signs = only_signs && is_sign(character);
    }
    return is_number ? std::string(text.substr(number)) : atom.is_space ? " " : "";
}

}  // namespace

SeenText::SeenText(const MarkedText& text) {
    std::size_t done = 0;
    for (const Atom& atom : text.atoms) {
        text_.append(text.text, done, atom.range.begin - done);
        const std::size_t begin = text_.size();
        text_ += as_seen(atom);
        atoms_.push_back({{begin, text_.size()}, atom.range});
        there_.add(text_.size(), atom.range.end);
        done = atom.range.end;
    }
    text_.append(text.text, done, std::string::npos);
}

std::vector<TextRange> SeenText::places_of(const std::vector<TextRange>& sentences) const {
    std::vector<TextRange> places;
    auto atom = atoms_.begin();  // the first that is in none of them
    bool goes_on = false;        // the last one ends inside an atom
    for (const TextRange& sentence : sentences) {
        // Atoms between two sentences are of the second, but those that touch the first.
        const std::size_t begin = atom != atoms_.end() && atom->here.begin <= sentence.begin
                                      ? atom->there.begin
                                      : there_.place(sentence.begin);
        if (!goes_on) {
            places.push_back({begin, begin});
        }
        atom = std::find_if(atom, atoms_.end(), [&](const Seen& one) { return one.here.end > sentence.end; });
        goes_on = atom != atoms_.end() && atom->here.begin < sentence.end;
        places.back().end = there_.place(sentence.end);
    }
    if (atom != atoms_.end()) {
        if (places.empty()) {
            places.push_back({atom->there.begin, 0});
        }
        places.back().end = atoms_.back().there.end;
    }
    return places;
}

}  // namespace softalign
