#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/options.h"
#include "translate/n_best_list.h"
#include "translate/scorer.h"

namespace softalign {

struct RescoringOptions {
    std::string feature = "Rescore";    // the name under which log-probabilities are added
    std::optional<double> interpolate;  // W in [0, 1]; none leaves scores and order as they are
    SearchConfig search;                // only its length normalisation counts
    // Changes each pair before it is scored, as training did (placeholder_rewriting); null: not.
    std::function<void(std::string& source, std::string& target)> rewrite{};
};

// Scores the entries of n-best lists with a model or an ensemble, often one that writes in the other direction than
// that of the list (Liu et al. 2016).
class Rescorer {
public:
    // REQUIRES: scorer outlives this. Throws Error(configuration) for options out of range.
    Rescorer(Scorer& scorer, const RescoringOptions& options);

    // Adds to each entry the feature: log p(text | source), a natural logarithm. With `interpolate` the score becomes
    //   (1 - W) * score + W * log p(text | source) / lp(n),
    // with n the tokens of the text and the end of sentence and lp as in search/scoring.h, and the entries of each
    // sentence are sorted by it, best first, ties in their old order. Throws Error(data) naming the line if an entry
    // has the feature already (`list` made the blocks), and throws like the scorer.
    void rescore(std::vector<NBestBlock>& blocks, const NBestReader& list);

    std::int64_t entries() const { return entries_; }  // so far

private:
    void apply(const PairScore& score, NBestEntry& entry) const;

    Scorer& scorer_;
    RescoringOptions options_;
    std::int64_t entries_ = 0;
};

}  // namespace softalign
