#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace softalign {

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
