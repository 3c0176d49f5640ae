#include "metrics/ngrams.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace softalign {

namespace {

constexpr std::size_t first_size = 256;
constexpr std::uint32_t root = 1;

std::uint64_t key_of(std::uint32_t parent, Symbol symbol) {
    return static_cast<std::uint64_t>(parent) << 32 | symbol;
}

}  // namespace

NgramMatcher::NgramMatcher(std::size_t max_order)
    : max_order_(max_order), keys_(first_size, 0), values_(first_size, 0), nodes_(root + 1) {}

void NgramMatcher::clear() {
    keys_.assign(first_size, 0);
    values_.resize(first_size);
    nodes_.assign(root + 1, Node());
}

std::size_t NgramMatcher::slot(std::uint64_t key) const {
    const std::size_t mask = keys_.size() - 1;
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15U;
    std::size_t at = static_cast<std::size_t>(mixed >> 32) & mask;
    while (keys_[at] != 0 && keys_[at] != key) {
        at = (at + 1) & mask;
    }
    return at;
}

std::uint32_t NgramMatcher::find(std::uint32_t parent, Symbol symbol) const {
    const std::uint64_t key = key_of(parent, symbol);
    const std::size_t at = slot(key);
    return keys_[at] == key ? values_[at] : 0;
}

void NgramMatcher::grow() {
    std::vector<std::uint64_t> keys(keys_.size() * 2, 0);
    std::vector<std::uint32_t> values(keys.size(), 0);
    keys.swap(keys_);
    values.swap(values_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i] != 0) {
            const std::size_t at = slot(keys[i]);
            keys_[at] = keys[i];
            values_[at] = values[i];
        }
    }
}

std::uint32_t NgramMatcher::child(std::uint32_t parent, Symbol symbol) {
    const std::uint64_t key = key_of(parent, symbol);
    const std::size_t at = slot(key);
    if (keys_[at] == key) {
        return values_[at];
    }
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    keys_[at] = key;
    values_[at] = node;
    nodes_.emplace_back();
    if (nodes_.size() * 2 > keys_.size()) {
        grow();
    }
    return node;
}

void NgramMatcher::add_reference(const std::vector<Symbol>& symbols) {
    touched_.clear();
    for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
        std::uint32_t node = root;
        const std::size_t end = std::min(symbols.size(), begin + max_order_);
        for (std::size_t i = begin; i < end; ++i) {
            node = child(node, symbols[i]);
            if (nodes_[node].counted++ == 0) {
                touched_.push_back(node);
            }
        }
    }
    for (const std::uint32_t node : touched_) {
        nodes_[node].allowed = std::max(nodes_[node].allowed, nodes_[node].counted);
        nodes_[node].counted = 0;
    }
}

void NgramMatcher::count_matches(const std::vector<Symbol>& symbols, double* matches) {
    std::fill(matches, matches + max_order_, 0.0);
    touched_.clear();
    for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
        std::uint32_t node = root;
        const std::size_t longest = std::min(symbols.size() - begin, max_order_);
        for (std::size_t i = 0; i < longest; ++i) {
            node = find(node, symbols[begin + i]);
            if (node == 0) {
                break;  // nor is anything longer in the references
            }
            if (nodes_[node].counted == 0) {
                touched_.push_back(node);
            }
            if (nodes_[node].counted++ < nodes_[node].allowed) {
                matches[i] += 1.0;
            }
        }
    }
    for (const std::uint32_t node : touched_) {
        nodes_[node].counted = 0;
    }
}

namespace {

constexpr std::size_t first_table_size = 128;

}  // namespace

WordTable::WordTable() : slots_(first_table_size, 0) {}

void WordTable::clear() {
    words_.clear();
    slots_.assign(first_table_size, 0);
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
