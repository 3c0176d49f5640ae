#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/kept_numbers.h"
#include "document/mark_placement.h"
#include "document/number_forms.h"

namespace softalign {

// The half of the day that a number has behind it: in the rest of its own word, as in "5pm", as the next word, "AM" or
// "p.m.,", or as the next two: "p. m."
HalfOfDay half_behind(std::string_view rest, std::string_view next, std::string_view second);

// The words of a translation, each with its links, of which some become numbers of the source, or go.
class TranslatedWords {
public:
    enum class Origin { model, phrase, prefix };

    // `of_source`: the numbers of the source, also those in words. REQUIRES: `given` outlives this.
    TranslatedWords(std::string_view text, const WordLinks& links, const GivenText& given,
                    std::set<std::string> of_source);

    std::size_t size() const { return words_.size(); }
    Origin origin(std::size_t word) const { return words_[word].origin; }
    float link(std::size_t word, std::size_t source) const;
    std::string text() const;
    WordLinks links() const;

    // The words that have a number, as often as they have it, without those that the phrases brought along.
    std::vector<std::size_t> with(std::string_view number) const;

    // Whether the word is this number and punctuation at most.
    bool is(std::size_t word, std::string_view number) const { return words_[word].core == number; }

    // The first number in a word. REQUIRES: it has one.
    const std::string& number_of(std::size_t word) const { return words_[word].numbers.front(); }

    // Whether the translation has a number, which is in this word of the source, in another form, which then stands for
    // no other one. Only words that are numbers are looked at, those that the source does not have, and none that has
    // less to do with the word than the one made of it:
    //   - one with a sign that the number lacks: -5 for "minus 5";
    //   - one with its thousands: 1.000.000 for "1 million", 1500 for "1.5 thousand"; and 0,5 for .5, or the reverse;
    //   - a range, a time or a date with the parts of the number: 10-15 for 10, 02.01.2024 for 2, 5/1/2024 for
    //   2024-1-5.
    // Another spelling of a number that the source has, such as 3,5 for 3.5, is none of these.
    bool claim(std::string_view number, std::size_t source);

    // How many words have this one's number more often than the source needs it, if this one is to stand for something
    // in a word of the source.
    using Spare = std::function<std::size_t(std::size_t word, std::size_t source)>;

    // Whether each part of a number is a spare word: 10 and 15 for "10-15". They then stand for no other number.
    bool claim_parts(std::string_view number, std::size_t source, const Spare& spare);

    // Whether the translation has each of these times, which are in this word of the source, by the other clock in a
    // spare word: 15 for 3 pm, or the reverse. The word then stands for no other number, but for more times.
    bool claim_times(const std::vector<Time>& times, std::size_t source, const Spare& spare);

    // The word that comes from this one of the source more than from any other, and is of no phrase and has no number,
    // or is one that the source does not have and that may be this one; size() if none does.
    std::size_t made_of(std::size_t source, std::string_view number) const;

    // Puts a number in the place of what a word is besides punctuation.
    void replace(std::size_t word, std::string_view number);

    // The word before gets what ends a phrase, and the words beside it get brackets and quotation marks of which it has
    // only one half.
    void erase(std::size_t word);

private:
    struct Word {
        std::vector<float> links;
        Origin origin = Origin::model;
        std::string text;
        std::string core;                  // without the punctuation around it; empty where it has a placeholder
        std::vector<std::string> numbers;  // in it
        std::vector<std::string> parts;    // the digits of a word that is a number which the source does not have
        std::vector<Time> times;           // that its only number may be
        float strongest = 0.0F;            // of its links
        bool is_free = false;              // for a number, but for its origin
    };

    void set_text(Word& word, std::string text) const;

    // Leaves the number of a word for no other one of the source.
    static void use_up(Word& word);

    // Of the word and those behind it, which have their times already.
    void set_times(std::size_t word);

    std::vector<Word> words_;
    const std::vector<std::string>& own_;
    std::set<std::string> of_source_;         // numbers
    std::set<std::string> digits_of_source_;  // of each
};

}  // namespace softalign
