#pragma once

#include <cstdint>
#include <vector>

#include "search/search.h"
#include "search/top_k.h"

namespace softalign {

// The attention weights of a step, [N,S] row-major on the CPU; width 0 where none are kept.
struct StepAttention {
    const float* weights = nullptr;
    std::int64_t width = 0;
};

// The search of one sentence of a batch. Prefixes are chains of nodes pointing back, so a step copies no token lists.
class SentenceBeam {
public:
    struct Live {
        double log_prob = 0.0;
        std::int64_t row = 0;    // of the model that it came from
        std::int32_t token = 0;  // its last
        std::int32_t node = -1;  // -1 = the empty prefix
    };

    // REQUIRES: options outlive this.
    SentenceBeam(const SearchOptions& options, std::int64_t max_length);

    // One step. The live prefixes are the rows first_row, first_row + 1, ... of `best`, in their order.
    void advance(const TopK& best, std::int64_t first_row, const StepAttention& attention);

    // Best first; empty when the search has ended.
    const std::vector<Live>& live() const { return live_; }

    // The n_best hypotheses, best first. REQUIRES: the search has ended.
    std::vector<Hypothesis>& result() { return result_; }

private:
    struct Node {
        std::int32_t token;
        std::int32_t parent;
    };
    struct Finished {
        double score;
        double log_prob;
        std::int32_t node;
    };

    std::vector<Live> candidates(const TopK& best, std::int64_t first_row) const;
    std::int32_t add_node(const Live& candidate, std::int64_t first_row, const StepAttention& attention);
    void finish(double log_prob, std::int32_t node);
    bool settled() const;
    void end();
    Hypothesis trace(const Finished& finished) const;
    double length_norm(std::int64_t length) const;

    const SearchOptions& options_;
    std::int64_t max_length_;
    std::int64_t length_ = 0;  // of the live prefixes
    std::vector<Live> live_;
    std::vector<Finished> finished_;  // the best n_best, best first
    std::vector<Node> nodes_;
    std::vector<float> attention_;  // [nodes,S]
    std::int64_t attention_width_ = 0;
    std::vector<Hypothesis> result_;
};

}  // namespace softalign
