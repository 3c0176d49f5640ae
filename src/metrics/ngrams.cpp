#include "metrics/ngrams.h"

#include <algorithm>

namespace softalign {

namespace {

std::size_t order_of(const Ngram& ngram) {
    return max_ngram_order - static_cast<std::size_t>(std::count(ngram.begin(), ngram.end(), 0U));
}

}  // namespace

std::vector<std::uint32_t> WordIndex::ids(const std::vector<std::string_view>& words) {
    std::vector<std::uint32_t> ids;
    ids.reserve(words.size());
    for (const std::string_view word : words) {
        const auto next = static_cast<std::uint32_t>(ids_.size() + 1);
        ids.push_back(ids_.emplace(word, next).first->second);
    }
    return ids;
}

NgramCounts count_ngrams(const std::vector<std::uint32_t>& words) {
    std::vector<Ngram> ngrams;
    ngrams.reserve(words.size() * max_ngram_order);
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
        Ngram ngram{};
        const std::size_t longest = std::min(max_ngram_order, words.size() - begin);
        for (std::size_t i = 0; i < longest; ++i) {
            ngram[i] = words[begin + i];
            ngrams.push_back(ngram);
        }
    }
    std::sort(ngrams.begin(), ngrams.end());
    NgramCounts counts;
    counts.reserve(ngrams.size());
    for (const Ngram& ngram : ngrams) {
        if (counts.empty() || counts.back().ngram != ngram) {
            counts.push_back({ngram, 0});
        }
        ++counts.back().count;
    }
    return counts;
}

NgramCounts merge_greatest(const NgramCounts& left, const NgramCounts& right) {
    NgramCounts merged;
    merged.reserve(left.size() + right.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(merged),
               [](const CountedNgram& a, const CountedNgram& b) { return a.ngram < b.ngram; });
    NgramCounts greatest;
    greatest.reserve(merged.size());
    for (const CountedNgram& counted : merged) {
        if (greatest.empty() || greatest.back().ngram != counted.ngram) {
            greatest.push_back(counted);
        } else {
            greatest.back().count = std::max(greatest.back().count, counted.count);
        }
    }
    return greatest;
}

std::array<std::int64_t, max_ngram_order> clipped_matches(const NgramCounts& left, const NgramCounts& right) {
    std::array<std::int64_t, max_ngram_order> matches{};
    auto other = right.begin();
    for (const CountedNgram& counted : left) {
        while (other != right.end() && other->ngram < counted.ngram) {
            ++other;
        }
        if (other != right.end() && other->ngram == counted.ngram) {
            matches[order_of(counted.ngram) - 1] += std::min(counted.count, other->count);
        }
    }
    return matches;
}

}  // namespace softalign
