#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/search.h"
#include "toy_model.h"

namespace softalign {

inline double normalised(double log_prob, std::size_t length, double alpha) {
    return log_prob / std::pow(static_cast<double>(length), alpha);
}

// The definition in search.h for one sentence, word for word: whole prefixes copied, every candidate sorted,
// no early stop.
inline std::vector<Hypothesis> reference_search(const ToyLanguage& language, std::uint64_t key, std::int64_t max_length,
                                                const SearchOptions& options) {
    struct Prefix {
        double log_prob = 0.0;
        std::vector<std::int32_t> tokens;
        std::size_t rank = 0;  // of the prefix it extends
    };
    std::vector<Prefix> live(1);
    std::vector<Hypothesis> finished;
    for (std::int64_t step = 0; !live.empty(); ++step) {
        std::vector<Prefix> candidates;
        for (std::size_t rank = 0; rank < live.size(); ++rank) {
            const std::vector<float> log_probs = language.log_probs(key, live[rank].tokens);
            for (std::int64_t token = 0; token < language.vocabulary; ++token) {
                if (token == options.unk || (step == max_length && token != options.eos)) {
                    continue;
                }
                Prefix candidate = live[rank];
                candidate.log_prob += log_probs[static_cast<std::size_t>(token)];
                candidate.tokens.push_back(static_cast<std::int32_t>(token));
                candidate.rank = rank;
                candidates.push_back(candidate);
            }
        }
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const Prefix& a, const Prefix& b) { return a.log_prob > b.log_prob; });
        live.clear();
        for (std::size_t i = 0; i < candidates.size() && i < static_cast<std::size_t>(options.beam); ++i) {
            if (candidates[i].tokens.back() != options.eos) {
                live.push_back(candidates[i]);
                continue;
            }
            Hypothesis hypothesis;
            hypothesis.ids.assign(candidates[i].tokens.begin(), candidates[i].tokens.end() - 1);
            hypothesis.log_prob = candidates[i].log_prob;
            hypothesis.score = normalised(candidates[i].log_prob, candidates[i].tokens.size(), options.length_alpha);
            finished.push_back(hypothesis);
        }
    }
    std::stable_sort(finished.begin(), finished.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    finished.resize(std::min(finished.size(), static_cast<std::size_t>(options.n_best)));
    return finished;
}

// Every output of at most max_length tokens, best first.
inline std::vector<Hypothesis> brute_force(const ToyLanguage& language, std::uint64_t key, std::int64_t max_length,
                                           const SearchOptions& options) {
    std::vector<Hypothesis> open(1);
    std::vector<Hypothesis> all;
    for (std::int64_t length = 0; length <= max_length; ++length) {
        std::vector<Hypothesis> longer;
        for (const Hypothesis& prefix : open) {
            const std::vector<float> log_probs = language.log_probs(key, prefix.ids);
            for (std::int64_t token = 0; token < language.vocabulary; ++token) {
                if (token == options.unk) {
                    continue;
                }
                Hypothesis next = prefix;
                next.log_prob += log_probs[static_cast<std::size_t>(token)];
                if (token == options.eos) {
                    next.score = normalised(next.log_prob, next.ids.size() + 1, options.length_alpha);
                    all.push_back(next);
                } else {
                    next.ids.push_back(static_cast<std::int32_t>(token));
                    longer.push_back(next);
                }
            }
        }
        open = longer;
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    return all;
}

}  // namespace softalign
