#include "search/restrictions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "search/step_model.h"

namespace softalign {

namespace {

// Every token of any sentence once, rising.
std::vector<std::int64_t> united(const std::vector<std::vector<std::int32_t>>& of_sentences) {
    std::vector<std::int64_t> ids;
    for (const std::vector<std::int32_t>& tokens : of_sentences) {
        ids.insert(ids.end(), tokens.begin(), tokens.end());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

}  // namespace

Candidates make_candidates(const std::vector<std::vector<std::int32_t>>& of_sentences, const at::Device& device) {
    const std::vector<std::int64_t> ids = united(of_sentences);
    const auto width = static_cast<std::int64_t>(ids.size());
    const at::Tensor mask = at::zeros({static_cast<std::int64_t>(of_sentences.size()), width}, at::kBool);
    bool* row = mask.data_ptr<bool>();
    for (const std::vector<std::int32_t>& tokens : of_sentences) {
        for (const std::int32_t token : tokens) {
            row[std::lower_bound(ids.begin(), ids.end(), token) - ids.begin()] = true;
        }
        row += width;
    }
    return {at::tensor(ids, at::kLong).to(device), mask.to(device)};
}

at::Tensor candidate_log_probs(const at::Tensor& logits, const at::Tensor& ids, const at::Tensor& mask,
                               std::int64_t vocabulary) {
    const at::Tensor log_probs = at::log_softmax(logits.masked_fill(mask.logical_not(), never), 1, at::kFloat);
    return at::full({logits.size(0), vocabulary}, never, log_probs.options()).index_copy_(1, ids, log_probs);
}

namespace {

bool contains(const std::vector<std::int32_t>& tokens, std::int64_t token) {
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

// Forbids, but for `wanted` ones, the tokens with which the prefix would end in a sequence of n tokens that `history`
// has.
void forbid_following(const std::vector<std::int32_t>& prefix, std::int64_t n, const std::vector<std::int32_t>& history,
                      const std::vector<std::int32_t>& wanted, float* log_probs) {
    const auto context = static_cast<std::size_t>(n - 1);
    if (prefix.size() < context) {
        return;
    }
    const auto last = prefix.end() - static_cast<std::ptrdiff_t>(context);
    for (std::size_t begin = 0; begin + context < history.size(); ++begin) {
        const auto first = history.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::int32_t next = history[begin + context];
        if (std::equal(last, prefix.end(), first) && !contains(wanted, next)) {
            log_probs[next] = never;
        }
    }
}

}  // namespace

Restrictions::Restrictions(const SearchOptions& options, const SearchTask& task)
    : options_(options),
      task_(task),
      no_repeat_ngram_(task.no_repeat_ngram > 0 && options.no_repeat_ngram > 0
                           ? std::min(task.no_repeat_ngram, options.no_repeat_ngram)
                           : std::max(task.no_repeat_ngram, options.no_repeat_ngram)),
      rest_of_start_(task.prefix.shortest(task.phrases.empty())) {
    std::copy_if(task.forbidden.begin(), task.forbidden.end(), std::back_inserter(forbidden_),
                 [&options](std::int32_t token) { return !contains(options.silent, token); });
}

bool Restrictions::none() const {
    return forbidden_.empty() && options_.unk < 0 && no_repeat_ngram_ == 0 && task_.avoided.empty() &&
           task_.min_length == 0 && task_.prefix.nodes.empty() && task_.phrases.empty();
}

void Restrictions::apply(const RestrictedPrefix& prefix, const PrefixTree& tree, float* log_probs,
                         std::int64_t vocabulary) const {
    if (!task_.prefix.complete(prefix.start)) {
        keep_to_start(prefix, log_probs, vocabulary);
        return;
    }
    if (options_.unk >= 0 && !contains(prefix.wanted, options_.unk)) {
        log_probs[options_.unk] = never;
    }
    for (const std::int32_t token : forbidden_) {
        log_probs[token] = never;
    }
    if (!may_end(prefix)) {
        log_probs[options_.eos] = never;
    }
    if (no_repeat_ngram_ > 0) {
        const std::vector<std::int32_t> tokens = tree.tokens(prefix.node);
        forbid_following(tokens, no_repeat_ngram_, tokens, prefix.wanted, log_probs);
    }
    if (!task_.avoided.empty()) {
        forbid_following(tree.tokens(prefix.node), 2, task_.avoided, prefix.wanted, log_probs);
    }
}

bool Restrictions::may_end(const RestrictedPrefix& prefix) const {
    return prefix.missing == 0 && prefix.length >= task_.min_length;
}

void Restrictions::keep_to_start(const RestrictedPrefix& prefix, float* log_probs, std::int64_t vocabulary) const {
    const std::vector<PrefixGraph::Edge>& edges = task_.prefix.nodes[static_cast<std::size_t>(prefix.start)];
    const std::int64_t left = task_.max_length - prefix.length - 1 - prefix.missing;
    std::vector<std::pair<std::int32_t, float>> kept;
    kept.reserve(edges.size() + 1);
    const bool optional = prefix.start == task_.prefix.may_end;
    for (const PrefixGraph::Edge& edge : edges) {
        const bool fits = rest_of_start_[static_cast<std::size_t>(edge.to)] <= left;
        if (fits && !(optional && edge.token == options_.unk)) {
            kept.emplace_back(edge.token, log_probs[edge.token]);
        }
    }
    if (optional && may_end(prefix)) {
        kept.emplace_back(static_cast<std::int32_t>(options_.eos), log_probs[options_.eos]);
    }
    std::fill(log_probs, log_probs + vocabulary, never);
    for (const auto& [token, log_prob] : kept) {
        log_probs[token] = log_prob;
    }
}

}  // namespace softalign
