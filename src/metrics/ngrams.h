#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

// A word's number or a code point.
using Symbol = std::uint32_t;

// The n-grams of a sentence's references, up to an order, as a tree in a hash table: each n-gram is a node below the
// one without its last symbol. Of each it knows the greatest count in any reference.
class NgramMatcher {
public:
    explicit NgramMatcher(std::size_t max_order);

    // Forgets all references.
    void clear();
    void add_reference(const std::vector<Symbol>& symbols);

    // matches[n - 1] becomes how many n-grams of the symbols are in the references, each at most as often as there.
    void count_matches(const std::vector<Symbol>& symbols, double* matches);

private:
    struct Node {
        std::uint32_t allowed = 0;  // greatest count in a reference
        std::uint32_t counted = 0;  // in the text at hand; 0 between calls
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

}  // namespace softalign
