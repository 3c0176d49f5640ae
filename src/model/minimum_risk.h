#pragma once

#include <vector>

namespace softalign {

// Minimum risk training (Shen et al. 2016, section 3) of one sentence: candidates y with log-probabilities log P(y) and
// risks Delta(y) have the distribution Q(y) = P(y)^alpha / sum over y' of P(y')^alpha, and the expected risk
// R = sum over y of Q(y) Delta(y).
struct ExpectedRisk {
    double risk = 0.0;             // R; 0 without candidates
    std::vector<double> gradient;  // dR / d log P(y) = alpha Q(y) (Delta(y) - R), of each candidate
};
// REQUIRES: as many risks as log-probabilities.
ExpectedRisk expected_risk(const std::vector<double>& log_probs, const std::vector<double>& risks, double alpha);

}  // namespace softalign
