#include "metrics/word_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace softalign {

namespace {

constexpr std::size_t first_size = 128;

}  // namespace

WordTable::WordTable() : slots_(first_size, 0) {}

void WordTable::clear() {
    words_.clear();
    slots_.assign(first_size, 0);
}

// Where the word is, or where it would be put.
std::size_t WordTable::slot(std::string_view word) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<std::string_view>()(word) & mask;
    while (slots_[at] != 0 && words_[slots_[at] - 1] != word) {
        at = (at + 1) & mask;
    }
    return at;
}

void WordTable::grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < words_.size(); ++i) {
        slots_[slot(words_[i])] = static_cast<std::uint32_t>(i + 1);
    }
}

std::uint32_t WordTable::add(std::string_view word) {
    const std::size_t at = slot(word);
    if (slots_[at] != 0) {
        return slots_[at];
    }
    words_.push_back(word);
    const auto number = static_cast<std::uint32_t>(words_.size());
    slots_[at] = number;
    if (words_.size() * 2 > slots_.size()) {
        grow();
    }
    return number;
}

std::uint32_t WordTable::find(std::string_view word) const {
    return slots_[slot(word)];
}

}  // namespace softalign
