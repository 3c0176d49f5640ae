#include "search/prefix_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

std::int32_t PrefixTree::add(std::int32_t parent, std::int32_t token, float log_prob, const StepView& step,
                             std::int64_t row) {
    nodes_.push_back({token, parent, log_prob});
    positions_ = step.attention != nullptr ? step.positions : 0;
    if (positions_ > 0) {
        const float* weights = step.attention + row * positions_;
        attention_.insert(attention_.end(), weights, weights + positions_);
    }
    model_count_ = static_cast<std::int64_t>(step.models.size());
    for (const float* model : step.models) {
        models_.push_back(model[row * step.vocabulary + token]);
    }
    return static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::vector<std::int32_t> PrefixTree::tokens(std::int32_t node) const {
    std::vector<std::int32_t> result;
    for (; node != root; node = nodes_[static_cast<std::size_t>(node)].parent) {
        result.push_back(nodes_[static_cast<std::size_t>(node)].token);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

std::vector<double> PrefixTree::attended(std::int32_t node, std::int64_t positions) const {
    std::vector<double> sums(static_cast<std::size_t>(std::min(positions, positions_)));
    for (; node != root; node = nodes_[static_cast<std::size_t>(node)].parent) {
        const float* weights = attention_.data() + node * positions_;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += weights[i];
        }
    }
    return sums;
}

Hypothesis PrefixTree::trace(std::int32_t node, bool with_attention) const {
    std::vector<std::int32_t> path;
    for (; node != root; node = nodes_[static_cast<std::size_t>(node)].parent) {
        path.push_back(node);
    }
    std::reverse(path.begin(), path.end());
    Hypothesis hypothesis;
    hypothesis.model_token_log_probs.resize(static_cast<std::size_t>(model_count_));
    for (const std::int32_t step : path) {
        const Node& at = nodes_[static_cast<std::size_t>(step)];
        if (step != path.back()) {
            hypothesis.ids.push_back(at.token);
        }
        hypothesis.token_log_probs.push_back(at.log_prob);
        if (with_attention && positions_ > 0) {
            const auto begin = attention_.begin() + step * positions_;
            hypothesis.attention.emplace_back(begin, begin + positions_);
        }
        for (std::int64_t m = 0; m < model_count_; ++m) {
            hypothesis.model_token_log_probs[static_cast<std::size_t>(m)].push_back(
                models_[static_cast<std::size_t>(step * model_count_ + m)]);
        }
    }
    return hypothesis;
}

void PrefixTree::clear() {
    nodes_ = {};
    attention_ = {};
    models_ = {};
}

}  // namespace softalign
