#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/options.h"
#include "search/prefix_tree.h"
#include "search/restrictions.h"
#include "search/sentence_search.h"

namespace softalign {

// Draws the tokens of a step from log-probabilities [V] as the options say; `uniform` in [0, 1) decides. The tokens
// left by top_k and top_p are ordered by id, so that a small change of the probabilities changes few draws; among ties
// the smaller ids are kept. Returns -1 if every token has probability 0.
std::int32_t draw_token(const SearchConfig& options, const float* log_probs, std::int64_t vocabulary, double uniform);

// Outputs of one sentence drawn from the model. The t-th token of the i-th output is a function of (seed, key of the
// task, i, t) and of the probabilities alone.
class SentenceSampler : public SentenceSearch {
public:
    // REQUIRES: options, with sampling, and task outlive this.
    SentenceSampler(const SearchOptions& options, const SearchTask& task, std::int64_t row);

    std::int64_t live_count() const override { return static_cast<std::int64_t>(live_.size()); }
    LivePrefix& live(std::int64_t index) override { return live_[static_cast<std::size_t>(index)].prefix; }
    bool restricted() const override { return !restrictions_.none(); }
    void restrict(float* log_probs, std::int64_t vocabulary) const override;
    void advance(const StepView& step, std::vector<std::int32_t>& chosen) override;

    // In the order in which they were drawn; sorting by score would not reflect how likely they were to be drawn.
    std::vector<Hypothesis> result() override;

private:
    struct Live {
        LivePrefix prefix;
        std::int32_t node = PrefixTree::root;
        std::int32_t start = 0;    // in task.prefix
        std::int64_t output = -1;  // which of the outputs this is; -1 = all of them
    };
    struct Finished {
        std::int32_t node = PrefixTree::root;
        std::int64_t length = 0;  // with eos; 0 = the output came to a point where nothing may follow
        double log_prob = 0.0;
    };

    void draw(const Live& live, std::int64_t output, const StepView& step, std::vector<Live>& next);

    const SearchOptions& options_;
    const SearchTask& task_;
    Restrictions restrictions_;
    PrefixTree tree_;
    std::int64_t length_ = 0;  // of the live prefixes
    std::vector<Live> live_;
    std::vector<Finished> finished_;  // [beam], by output
};

}  // namespace softalign
