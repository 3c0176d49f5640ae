#include "search/restrictions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace softalign {

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

bool contains(const std::vector<std::int32_t>& tokens, std::int64_t token) {
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

Restrictions::Restrictions(const SearchOptions& options, const SearchTask& task) : options_(options), task_(task) {}

bool Restrictions::none() const {
    return options_.unk < 0 && options_.no_repeat_ngram == 0 && task_.min_length == 0 && task_.prefix.nodes.empty() &&
           task_.phrases.empty();
}

void Restrictions::apply(const RestrictedPrefix& prefix, const PrefixTree& tree, float* log_probs,
                         std::int64_t vocabulary) const {
    if (!task_.prefix.complete(prefix.start)) {
        keep_to_start(prefix.start, log_probs, vocabulary);
        return;
    }
    if (options_.unk >= 0 && !contains(prefix.wanted, options_.unk)) {
        log_probs[options_.unk] = never;
    }
    if (!prefix.may_end || prefix.length < task_.min_length) {
        log_probs[options_.eos] = never;
    }
    if (options_.no_repeat_ngram > 0) {
        forbid_repetition(tree.tokens(prefix.node), prefix.wanted, log_probs);
    }
}

void Restrictions::keep_to_start(std::int32_t node, float* log_probs, std::int64_t vocabulary) const {
    const std::vector<PrefixGraph::Edge>& edges = task_.prefix.nodes[static_cast<std::size_t>(node)];
    std::vector<float> kept;
    kept.reserve(edges.size());
    for (const PrefixGraph::Edge& edge : edges) {
        kept.push_back(log_probs[edge.token]);
    }
    std::fill(log_probs, log_probs + vocabulary, never);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        log_probs[edges[i].token] = kept[i];
    }
}

void Restrictions::forbid_repetition(const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& wanted,
                                     float* log_probs) const {
    const auto context = static_cast<std::size_t>(options_.no_repeat_ngram - 1);
    if (tokens.size() <= context) {
        return;
    }
    const auto last = tokens.end() - static_cast<std::ptrdiff_t>(context);
    for (std::size_t begin = 0; begin + context < tokens.size(); ++begin) {
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::int32_t next = tokens[begin + context];
        if (std::equal(last, tokens.end(), first) && !contains(wanted, next)) {
            log_probs[next] = never;
        }
    }
}

}  // namespace softalign
