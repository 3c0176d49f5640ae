#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

// The sentences that a report shows, as indices from 0; no sentence is in two of the lists.
struct ChosenSentences {
    std::vector<std::size_t> worst;   // lowest score first
    std::vector<std::size_t> best;    // highest score first
    std::vector<std::size_t> differ;  // where the runs' scores differ most; empty for one run
    std::vector<std::size_t> random;  // in text order
};

// `scores`: for each run, the score of each sentence. Sentences are ranked by the mean over the runs, ties by length
// (longer first), then by position. Up to `count` of each kind. The random ones are a function of the seed.
ChosenSentences choose_sentences(const std::vector<std::vector<double>>& scores,
                                 const std::vector<std::int64_t>& lengths, std::size_t count, std::uint64_t seed);

}  // namespace softalign
