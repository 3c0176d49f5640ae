#pragma once

#include <string_view>
#include <vector>

#include "document/text_range.h"

namespace softalign {

// What marks in a text are placed around: words, that is runs of letters, digits and what belongs to them, and any
// other character that is no white space by itself. Characters of scripts without spaces between words are units too.
std::vector<TextRange> units_of(std::string_view text);

// Whether there is a letter, or a digit where that is asked for.
bool has_letter(std::string_view text);
bool has_digit(std::string_view text);

// Whether there is a character of a script without spaces between words: Chinese, Japanese, Thai and others.
bool has_unspaced(std::string_view text);

// Whether a word may go on from the text in front of this one, or behind it: whether it begins, or ends, with a letter,
// a digit, a mark, an underscore, a hyphen, an apostrophe, or a byte that is no character. Not with a character of a
// script without spaces between words.
bool begins_in_word(std::string_view text);
bool ends_in_word(std::string_view text);

// Whether the text begins, or ends, with a letter, a digit or a mark of a script with spaces between words.
bool begins_with_word(std::string_view text);
bool ends_with_word(std::string_view text);

// Whether a hyphen joins a part of a text to a letter, as the numbers of "5-year-old" and "A-5", or to a word that has
// one, as that of "AB12-345".
bool is_in_compound(std::string_view text, TextRange part);

// The compound of hyphens, letters and digits that a part of a text is in, within a range of the text; with full stops
// and slashes beside digits.
TextRange compound_around(std::string_view text, TextRange part, TextRange within);

// Whether white space may be in front of the text, or behind it: where it begins with a word or an opening bracket, or
// ends with a word, a closing bracket or the punctuation that ends phrases.
bool allows_space_before(std::string_view text);
bool allows_space_behind(std::string_view text);

// Whether the text begins with a bracket or quotation mark that opens, or ends with one that closes. Of quotation
// marks, all but the low ones do both in some language.
bool opens(std::string_view text);
bool closes(std::string_view text);

// Whether the text ends with ASCII punctuation that ends sentences and phrases.
bool ends_phrase(std::string_view text);

// Whether the text ends, or begins, with a character of a script that writes no space between sentences: Chinese and
// Japanese characters and their punctuation.
bool ends_wide(std::string_view text);
bool begins_wide(std::string_view text);

}  // namespace softalign
