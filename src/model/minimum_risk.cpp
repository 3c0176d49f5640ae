#include "model/minimum_risk.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace softalign {

ExpectedRisk expected_risk(const std::vector<double>& log_probs, const std::vector<double>& risks, double alpha) {
    ExpectedRisk result;
    if (log_probs.empty()) {
        return result;
    }
    const double highest = *std::max_element(log_probs.begin(), log_probs.end());
    double total = 0.0;
    for (const double log_prob : log_probs) {
        result.gradient.push_back(std::exp(alpha * (log_prob - highest)));
        total += result.gradient.back();
    }
    for (std::size_t i = 0; i < risks.size(); ++i) {
        result.gradient[i] /= total;  // Q
        result.risk += result.gradient[i] * risks[i];
    }
    for (std::size_t i = 0; i < risks.size(); ++i) {
        result.gradient[i] *= alpha * (risks[i] - result.risk);
    }
    return result;
}

}  // namespace softalign
