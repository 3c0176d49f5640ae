#pragma once

#include <cstdint>
#include <vector>

#include "search/scoring.h"
#include "search/step_model.h"

namespace softalign {

// The prefixes of the outputs of one sentence, as chains of nodes that point back, so that a step copies no lists of
// tokens. With each token the tree keeps its log-probability and, where the step has them, the attention with which it
// was written and what each model of an ensemble gave it.
class PrefixTree {
public:
    static constexpr std::int32_t root = -1;  // the empty prefix

    // Adds the prefix `parent` plus one token, which `row` of the step gave. Returns its node.
    std::int32_t add(std::int32_t parent, std::int32_t token, float log_prob, const StepView& step, std::int64_t row);

    // The tokens of a prefix, in their order.
    std::vector<std::int32_t> tokens(std::int32_t node) const;

    // The attention that each of the first `positions` got over all tokens of a prefix. Empty if none is kept.
    std::vector<double> attended(std::int32_t node, std::int64_t positions) const;

    // The output whose last token, eos, is this node: ids, token_log_probs, model_token_log_probs, attention.
    Hypothesis trace(std::int32_t node, bool with_attention) const;

    void clear();

private:
    struct Node {
        std::int32_t token;
        std::int32_t parent;
        float log_prob;
    };

    std::vector<Node> nodes_;
    std::vector<float> attention_;  // [nodes,S]
    std::vector<float> models_;     // [nodes,M]
    std::int64_t positions_ = 0;    // S
    std::int64_t model_count_ = 0;  // M
};

}  // namespace softalign
