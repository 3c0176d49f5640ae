#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

// Which sentences a report shows, by their places from 0; no sentence is in two of them.
struct ChosenSentences {
    std::vector<std::size_t> worst;   // lowest score first
    std::vector<std::size_t> best;    // highest score first
    std::vector<std::size_t> differ;  // where the runs' scores lie furthest apart; empty for one run
    std::vector<std::size_t> random;  // in their order
};

// `scores`: for each run the score of each sentence. The mean over the runs decides; of equal ones the longer sentence,
// then the earlier. Up to `count` of each kind. Random ones are a function of the seed.
ChosenSentences choose_sentences(const std::vector<std::vector<double>>& scores,
                                 const std::vector<std::int64_t>& lengths, std::size_t count, std::uint64_t seed);

}  // namespace softalign
