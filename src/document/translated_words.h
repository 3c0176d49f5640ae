#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/kept_numbers.h"
#include "document/mark_placement.h"

namespace softalign {

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

    // Whether the digits of a number stand in numbers that the source does not have: those of 10 in "10-15", or those
    // of "10-15" in 10 and 15, or those of 5 in -5, which was "minus 5". They then stand for no other one. Another
    // spelling of the number, such as 3,5 for 3.5, does not count, nor does 5 for -5.
    bool take_digits_of(std::string_view number);

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
        std::vector<std::string> others;   // the groups of digits of a word that has no number of the source
        float strongest = 0.0F;            // of its links
        bool is_free = false;              // for a number, but for its origin
    };
    struct Place {
        std::size_t word = 0;
        std::size_t group = 0;  // of others
    };

    void set_text(Word& word, std::string text) const;
    std::vector<Place> places_of(const std::vector<std::string>& groups) const;

    std::vector<Word> words_;
    const std::vector<std::string>& own_;
    std::set<std::string> of_source_;  // numbers
};

}  // namespace softalign
