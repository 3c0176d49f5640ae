#include "document/abbreviations.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/abbreviation_lists.h"
#include "document/characters.h"
#include "text/line_reader.h"

namespace softalign {

namespace {

constexpr std::string_view numeric_only = "#NUMERIC_ONLY#";

// Capital letters that are no initials of a name, and may end a sentence.
constexpr std::string_view acronyms =
    "U.S U.K U.N E.U U.S.A U.A.E U.S.S.R D.C L.A N.Y N.J M.A B.A B.S M.D A.D B.C A.M P.M P.S S.A S.L B.V N.V";

// Words that go on where one of these follows.
struct Followed {
    std::string_view word;
    std::string_view by;
};
constexpr std::string_view day_or_zone =
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday EST EDT CST CDT MST MDT PST PDT ET CT MT PT GMT UTC CET "
    "CEST BST";
constexpr Followed followed[] = {
    {"Co", "KG KGaA OHG Ltd Inc LLC LP"}, {"Cia", "Ltda Lda"},  {"art", "L. R."},  // of French codes
    {"Fed", "R Reg Cir Supp App"},        {"a.m", day_or_zone}, {"p.m", day_or_zone},
};

constexpr std::string_view with_ordinals[] = {"de", "cs", "da", "nb", "nn", "no", "fi", "hu",
                                              "pl", "sk", "sl", "hr", "et", "lv", "tr", "is"};

// "5", "XIX"; a single Roman digit may be the word I.
bool is_number(std::string_view word) {
    return is_digit(word.front()) || (word.size() > 1 && word.find_first_not_of("IVXLCDM") == std::string_view::npos);
}

// The letters that a text begins with, behind the punctuation that opens it.
std::string_view first_word(std::string_view text) {
    text = without_opening(text);
    text = text.substr(0, text.find_first_of(" \t.,;:!?()\"'-"));
    return text.substr(0, text.find("\u2019"));
}

bool has_word(std::string_view list, std::string_view word) {
    for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) {
            return true;
        }
    }
    return false;
}

// "J", "J.R.R"
bool is_initials(std::string_view text) {
    const auto size = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < size; ++at) {
        UChar32 character = 0;
        U8_NEXT(text.data(), at, size, character);
        if (character <= 0 || !u_isupper(character) ||
            (at < size && (text[static_cast<std::size_t>(at)] != '.' || at + 1 == size))) {
            return false;
        }
    }
    return size > 0 && !has_word(acronyms, text);
}

// "Mr" of "MR"; itself where there is another than a capital ASCII letter.
std::string in_title_case(std::string word) {
    if (word.size() > 1 && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
        std::transform(word.begin() + 1, word.end(), word.begin() + 1,
                       [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    }
    return word;
}

}  // namespace

Abbreviations::Abbreviations(const std::string& language)
    : english_(language == "en"), streets_(language == "de" || language == "nl") {
    const bool has_foreign_ones = language == "ja" || language == "zh" || language == "ko";
    const AbbreviationLists* const known = abbreviation_lists(has_foreign_ones ? "en" : language);
    if (known != nullptr) {
        const std::pair<std::string_view, Continues> lists[] = {{known->always, Continues::always},
                                                                {known->mostly, Continues::mostly},
                                                                {known->before_numbers, Continues::before_numbers}};
        for (const auto& [list, when] : lists) {
            std::istringstream words{std::string(list)};
            for (std::string word; words >> word;) {
                add(word, when);
            }
        }
        beginnings_ = known->beginnings;
        in_names_ = known->in_names;
    }
    ordinals_ = std::find(std::begin(with_ordinals), std::end(with_ordinals), language) != std::end(with_ordinals);
}

void Abbreviations::read(const std::string& path) {
    LineReader reader(path);
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        std::istringstream columns(line);
        std::string word;
        std::string mark;
        std::string more;
        columns >> word >> mark >> more;
        if (word.empty() || word.front() == '#') {
            continue;
        }
        if ((!mark.empty() && mark != numeric_only) || !more.empty()) {
            throw Error(ExitCode::data, reader.place() +
                                            ": not an abbreviation; write one on each line, with #NUMERIC_ONLY# behind "
                                            "it where it counts only before a number");
        }
        add(word, mark.empty() ? Continues::always : Continues::before_numbers);
    }
}

void Abbreviations::add(std::string word, Continues when) {
    if (word.back() == '.') {
        word.pop_back();
    }
    const auto [known, is_new] = words_.emplace(std::move(word), when);
    if (!is_new) {
        known->second = std::min(known->second, when);
    }
}

std::size_t Abbreviations::least_letters() const {
    constexpr std::size_t in_english = 4;
    constexpr std::size_t in_others = 5;
    return beginnings_.empty() ? 0 : english_ ? in_english : in_others;
}

bool Abbreviations::begins_sentence(std::string_view next) const {
    const std::string_view text = without_opening(next);
    const std::string_view word = first_word(text);
    constexpr std::array<std::string_view, 5> ends{" ", "\t", ",", "'", "\u2019"};
    const std::string_view behind = text.substr(word.size());
    return !word.empty() && (behind.empty() || starts_with_one(ends, behind)) && has_word(beginnings_, word);
}

bool Abbreviations::continues(std::string_view word, std::string_view next) const {
    if (word.size() < 2 || word.back() != '.') {
        return false;
    }
    const std::string_view stem = word.substr(0, word.size() - 1);
    const std::string_view follows = first_word(next);
    const bool is_abbreviated = starts_with(next.substr(std::min(follows.size(), next.size())), ".");
    const bool before_number = !follows.empty() && is_number(follows);
    if (std::any_of(std::begin(followed), std::end(followed), [&](const Followed& one) {
            return one.word == stem && !follows.empty() &&
                   (has_word(one.by, follows) || (is_abbreviated && has_word(one.by, std::string(follows) + ".")));
        })) {
        return true;
    }
    auto known = words_.find(std::string(stem));
    if (known == words_.end()) {
        known = words_.find(in_title_case(std::string(stem)));
    }
    // "S." is a page before a number, and an initial elsewhere.
    if (known != words_.end() && (known->second != Continues::before_numbers || before_number || !is_initials(stem))) {
        return known->second == Continues::always ||
               (known->second == Continues::mostly ? !begins_sentence(next) : before_number);
    }
    if (streets_ && before_number && stem.size() > 3 && (ends_with(stem, "str") || ends_with(stem, "nr"))) {
        return true;  // "Hauptstr. 5", "Hausnr. 5"
    }
    if (ordinals_ && !stem.empty() && stem.size() <= 2 && std::all_of(stem.begin(), stem.end(), is_digit)) {
        return !begins_sentence(next);
    }
    return is_initials(stem) && !(english_ && stem == "I") && (!begins_sentence(next) || has_word(in_names_, follows));
}

}  // namespace softalign
