#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace softalign {

constexpr std::size_t max_ngram_order = 4;

// Gives each distinct word a number from 1 on, in the order of first sight.
class WordIndex {
public:
    std::vector<std::uint32_t> ids(const std::vector<std::string_view>& words);

private:
    std::unordered_map<std::string, std::uint32_t> ids_;
};

// Up to four word numbers, filled up with 0 behind.
using Ngram = std::array<std::uint32_t, max_ngram_order>;

struct CountedNgram {
    Ngram ngram;
    std::int64_t count;
};

// In ascending order of the n-gram, each once.
using NgramCounts = std::vector<CountedNgram>;

// All n-grams of orders 1 to 4.
NgramCounts count_ngrams(const std::vector<std::uint32_t>& words);

// The greater count of each n-gram.
NgramCounts merge_greatest(const NgramCounts& left, const NgramCounts& right);

// By order, the n-grams of `left` that are in `right` too, each as often as it is in both.
std::array<std::int64_t, max_ngram_order> clipped_matches(const NgramCounts& left, const NgramCounts& right);

}  // namespace softalign
