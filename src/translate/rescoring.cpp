#include "translate/rescoring.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/scoring.h"

namespace softalign {

namespace {

RescoringOptions checked(const RescoringOptions& options) {
    const auto require = [](bool condition, const char* what) {
        if (!condition) {
            throw Error(ExitCode::configuration, std::string("rescoring options: ") + what);
        }
    };
    require(!options.feature.empty() && options.feature.find_first_of(" \t=|") == std::string::npos,
            "the name of the feature must be a word without = and |");
    require(!options.interpolate || (*options.interpolate >= 0.0 && *options.interpolate <= 1.0),
            "the weight of the interpolation must be from 0 to 1");
    return options;
}

}  // namespace

Rescorer::Rescorer(Scorer& scorer, const RescoringOptions& options) : scorer_(scorer), options_(checked(options)) {}

void Rescorer::apply(const PairScore& score, NBestEntry& entry) const {
    add_feature(entry, options_.feature, score.log_prob);
    if (options_.interpolate) {
        const double weight = *options_.interpolate;
        const auto length = static_cast<std::int64_t>(score.ids.size());
        entry.value = (1.0 - weight) * entry.value + weight * score.log_prob / length_norm(options_.search, length);
        entry.score = fmt::format("{:.6f}", entry.value);
    }
}

void Rescorer::rescore(std::vector<NBestBlock>& blocks, const NBestReader& list) {
    std::vector<SentencePair> pairs;
    for (const NBestBlock& block : blocks) {
        for (std::size_t i = 0; i < block.entries.size(); ++i) {
            if (has_feature(block.entries[i], options_.feature)) {
                throw list.fault(block.first_line + static_cast<std::int64_t>(i),
                                 "the entry has a feature " + options_.feature +
                                     " already; give the new one another name with --feature-name");
            }
            pairs.push_back({block.source, block.entries[i].text});
            if (options_.rewrite) {
                options_.rewrite(pairs.back().source, pairs.back().target);
            }
        }
    }
    const std::vector<PairScore> scores = scorer_.score(pairs);
    entries_ += static_cast<std::int64_t>(scores.size());
    auto score = scores.begin();
    for (NBestBlock& block : blocks) {
        for (NBestEntry& entry : block.entries) {
            apply(*score++, entry);
        }
        if (options_.interpolate) {
            std::stable_sort(block.entries.begin(), block.entries.end(),
                             [](const NBestEntry& a, const NBestEntry& b) { return a.value > b.value; });
        }
    }
}

}  // namespace softalign
