#pragma once

#include <string_view>

namespace softalign {

// What is known of the abbreviations of a language: lists of words separated by spaces, abbreviations without their
// last full stop. In small letters, one counts in front of a sentence too: "approx" is also "Approx".
struct AbbreviationLists {
    std::string_view language;        // "en"
    std::string_view always;          // what hardly ever ends a sentence, such as a title
    std::string_view mostly;          // what ends one before a word of `beginnings`, such as a month
    std::string_view before_numbers;  // what is an everyday word too, and an abbreviation before a number
    std::string_view beginnings;      // words that have a capital letter only where a sentence begins
    std::string_view in_names;        // those of them that are parts of names too, and may follow initials
};

// Those of en, de, fr, es, it, nl, pt and ru; nullptr for other languages.
const AbbreviationLists* abbreviation_lists(std::string_view language);

}  // namespace softalign
