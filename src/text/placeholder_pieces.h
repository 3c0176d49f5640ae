#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace softalign {

// Placeholders: pieces of a vocabulary that stand for spans that are kept (vocabulary.placeholders).

// What the placeholder with this number, from 0, looks like in a text: "⦃a⦄". No other text needs these brackets.
std::string placeholder(std::size_t number);

// The first so many of them, in order.
std::vector<std::string> placeholders(std::size_t count);

// The pieces of a vocabulary that are placeholders, in order, and how many it has.
std::vector<std::int32_t> placeholder_ids(const Tokenizer& tokenizer);
inline std::size_t count_placeholders(const Tokenizer& tokenizer) {
    return placeholder_ids(tokenizer).size();
}

// How many both vocabularies of a model have: those that it was trained with.
inline std::size_t count_placeholders(const Tokenizer& source, const Tokenizer& target) {
    return std::min(count_placeholders(source), count_placeholders(target));
}

// Bytes of what looks like a placeholder at the beginning of a text; 0 if nothing does.
std::size_t placeholder_size(std::string_view text);

// Where the first such thing begins, at `from` or behind it; npos if there is none.
std::size_t find_placeholder(std::string_view text, std::size_t from);

// Whether a text is nothing but such a thing.
inline bool is_placeholder(std::string_view text) {
    return !text.empty() && placeholder_size(text) == text.size();
}

// Its number. What has more than two letters has a number beyond all placeholders. REQUIRES: is_placeholder(text).
std::size_t placeholder_number(std::string_view text);

}  // namespace softalign
