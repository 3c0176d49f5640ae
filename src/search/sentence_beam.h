#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/options.h"
#include "search/phrases.h"
#include "search/prefix_tree.h"
#include "search/restrictions.h"
#include "search/scoring.h"
#include "search/sentence_search.h"
#include "search/step_model.h"

namespace softalign {

// Beam search for one sentence, or one group of a diverse beam. search.h defines what it computes.
class SentenceBeam : public SentenceSearch {
public:
    // row: of the empty prefix. REQUIRES: options and task outlive this.
    SentenceBeam(const SearchOptions& options, const SearchTask& task, std::int64_t row);

    std::int64_t live_count() const override { return static_cast<std::int64_t>(live_.size()); }
    LivePrefix& live(std::int64_t index) override { return live_[static_cast<std::size_t>(index)].prefix; }
    bool restricted() const override { return !restrictions_.none(); }
    void restrict(float* log_probs, std::int64_t vocabulary) const override;
    void advance(const StepView& step, std::vector<std::int32_t>& chosen) override;
    std::vector<Hypothesis> result() override;

private:
    struct Live {
        LivePrefix prefix;
        std::int32_t node = PrefixTree::root;
        std::int32_t start = 0;  // in task.prefix
        PhraseProgress phrases;
    };
    struct Candidate {
        double rank = 0.0;  // by which the candidates of a step are ordered
        float token_log_prob = 0.0;
        std::int32_t token = 0;
        std::size_t from = 0;  // of the live prefixes
        PhraseProgress phrases;
    };
    struct Finished {
        double score;
        double log_prob;
        double coverage;
        std::int64_t length;
        std::int32_t node;
    };

    std::vector<Candidate> candidates(const StepView& step, const std::vector<std::int32_t>& chosen) const;
    Candidate candidate(std::size_t from, std::int32_t token, float token_log_prob) const;
    void add_wanted(const StepView& step, std::size_t from, std::vector<Candidate>& all) const;
    void add_boundary(const StepView& step, std::size_t from, std::vector<Candidate>& all) const;
    std::vector<Candidate> ends(const StepView& step) const;
    std::vector<Candidate> kept(std::vector<Candidate> all) const;
    std::int64_t bank_of(const Candidate& candidate) const;
    std::vector<Candidate> kept_by_phrases(const std::vector<Candidate>& all) const;
    void take_best(std::vector<Candidate> all, std::int64_t width, std::vector<Candidate>& taken) const;
    void extend(const Candidate& candidate, const StepView& step, std::vector<Live>& next);
    void finish(double log_prob, std::int32_t node);
    bool settled() const;

    const SearchOptions& options_;
    const SearchTask& task_;
    std::int64_t width_;
    std::int64_t n_best_;
    Restrictions restrictions_;
    Phrases phrases_;
    PrefixTree tree_;
    std::int64_t length_ = 0;          // of the live prefixes
    std::vector<Live> live_;           // best first
    std::vector<Finished> finished_;   // the best n_best, best first
    std::int64_t finished_count_ = 0;  // all of them
};

// Adds the best of `more` that `hypotheses` lack, until there are n_best.
void add_missing(std::vector<Hypothesis> more, std::int64_t n_best, std::vector<Hypothesis>& hypotheses);

// Makes a model of some of the tasks of a batch: of those with these numbers, in this order.
using ModelOfTasks = std::function<std::unique_ptr<StepModel>(const std::vector<std::size_t>& numbers)>;

// What search() finds for all tasks. The groups of a diverse beam may find the same outputs; a sentence for which they
// have fewer than n_best together is searched again without groups, and the best outputs that it lacks follow. So it
// has n_best if a search without groups finds as many.
std::vector<std::vector<Hypothesis>> diverse_search(const ModelOfTasks& model_of, const std::vector<SearchTask>& tasks,
                                                    const SearchOptions& options);

}  // namespace softalign
