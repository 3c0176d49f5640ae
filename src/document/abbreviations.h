#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace softalign {

// Words that end with a full stop without ending a sentence.
class Abbreviations {
public:
    // Those of a language ("en"), as far as they are known: en, de, fr, es, it, nl, pt, ru. Empty for others.
    explicit Abbreviations(const std::string& language);

    // Adds those of a file: one a line, with or without the full stop; "#NUMERIC_ONLY#" behind one that counts only
    // before a number; lines that begin with # are comments (Moses's nonbreaking prefixes). Throws Error(data), naming
    // file and line, for what cannot be read, is not UTF-8 or has white space inside.
    void read(const std::string& path);

    // Whether a sentence goes on behind the full stop of this word ("Dr."); `next`: what follows, without white space.
    bool continues(std::string_view word, std::string_view next) const;

    // How many letters a word must have to be no abbreviation in front of a number, whatever the lists say; 0 =
    // unknown, as in a language without lists.
    std::size_t least_letters() const;

private:
    // When a sentence goes on behind one, from the strongest to the weakest.
    enum class Continues { always, mostly, before_numbers };

    void add(std::string word, Continues when);
    // Whether a text begins with a word that has a capital letter only where a sentence begins: "The".
    bool begins_sentence(std::string_view next) const;

    std::unordered_map<std::string, Continues> words_;  // without the last full stop
    std::string_view beginnings_;                       // AbbreviationLists
    std::string_view in_names_;
    bool ordinals_ = false;  // whether the language writes ordinal numbers with a full stop
    bool english_ = false;
    bool streets_ = false;  // whether words are compounds with "str." and "nr."
};

}  // namespace softalign
