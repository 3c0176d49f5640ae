#pragma once

#include <cstddef>
#include <string_view>

namespace softalign {

// What is beside a place where Unicode's rules (UAX #29) end a sentence. `at`: the first byte of what follows, without
// white space; > 0. REQUIRES: UTF-8.

// Whether the full stop in front of this place belongs to what follows, as in ".NET" and "/.X", or to a number, as in
// "3.X".
bool is_inside_name(std::string_view text, std::size_t at);

// Whether what ends in front of a place does so in the manner of Chinese and Japanese, where any letter may follow:
// "\u3002iPhone".
bool is_behind_wide_end(std::string_view text, std::size_t at);

// Whether a quotation is a part of a Chinese or Japanese sentence that goes on behind it without white space.
bool is_quoted_in_sentence(std::string_view text, std::size_t at);

// Where the sentence ends: behind marks of Markdown that close (`**Note.** Read`), before marks that open what follows
// (`end.[1]`), and behind a quotation as French writes it (`« Oui. » Elle`). npos where it goes on.
std::size_t end_at(std::string_view text, std::size_t at);

// Whether all of a sentence so far is the number or letter of an item ("1. Open", "a. Open"), or several and marks in
// front of them: "- a. Open", "**1. Open**", "(1. Open)", "- [x] 1. Open".
bool is_item_number(std::string_view sentence);

// Whether what follows a sentence is what somebody else says: "- I. - You".
bool is_turn(std::string_view sentence, std::string_view next);

}  // namespace softalign
