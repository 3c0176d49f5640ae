#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace softalign {

// A word's number or a code point.
using Symbol = std::uint32_t;

// The n-grams of a sentence's references up to an order, as a trie in a hash table: the parent of an n-gram is the
// n-gram without its last symbol. Each node has the largest count of its n-gram in any reference.
class NgramMatcher {
public:
    explicit NgramMatcher(std::size_t max_order);

    // Removes all references.
    void clear();
    void add_reference(const std::vector<Symbol>& symbols);

    // Sets matches[n - 1] to the number of n-grams of the symbols that are in the references, clipped to their counts.
    void count_matches(const std::vector<Symbol>& symbols, double* matches);

private:
    struct Node {
        std::uint32_t allowed = 0;  // largest count in a reference
        std::uint32_t counted = 0;  // count in the current text; 0 between calls
    };

    std::size_t slot(std::uint64_t key) const;
    std::uint32_t find(std::uint32_t parent, Symbol symbol) const;
    std::uint32_t child(std::uint32_t parent, Symbol symbol);
    void grow();

    std::size_t max_order_;
    std::vector<std::uint64_t> keys_;     // parent and symbol; 0 = free
    std::vector<std::uint32_t> values_;   // the node
    std::vector<Node> nodes_;             // 0 stands for none, 1 for the root
    std::vector<std::uint32_t> touched_;  // nodes with counted > 0
};

// Numbers the words of a sentence's references from 1, in order of first occurrence.
class WordTable {
public:
    WordTable();

    // Removes all words.
    void clear();
    // `word` must stay valid until the next clear().
    std::uint32_t add(std::string_view word);
    // 0 for a word that has not been added.
    std::uint32_t find(std::string_view word) const;
    std::size_t size() const { return words_.size(); }

private:
    std::size_t slot(std::string_view word) const;
    void grow();

    std::vector<std::uint32_t> slots_;  // a power of two; 0 = free
    std::vector<std::string_view> words_;
};

}  // namespace softalign
