#pragma once

#include <cstdint>
#include <vector>

#include "search/scoring.h"
#include "search/step_model.h"

namespace softalign {

// A live prefix, between two steps.
struct LivePrefix {
    double log_prob = 0.0;
    std::int32_t token = 0;   // its last
    std::int64_t parent = 0;  // the row of the step before that it comes from
    std::int64_t row = 0;     // its own row of the next step; whoever runs the batch sets it
};

// The search for the output of one sentence, or of one group of a diverse beam, in a batch of many.
class SentenceSearch {
public:
    virtual ~SentenceSearch() = default;

    // In the order of their rows; empty when the search has ended.
    virtual std::int64_t live_count() const = 0;
    virtual LivePrefix& live(std::int64_t index) = 0;

    // Whether `restrict` has to be called before each step.
    virtual bool restricted() const = 0;

    // Sets to minus infinity what must not follow the live prefixes. log_probs [N,V], N the rows of the batch.
    virtual void restrict(float* log_probs, std::int64_t vocabulary) const = 0;

    // One step. `chosen`: the tokens that the groups of the same sentence before this one took at this step; adds those
    // that this one takes.
    virtual void advance(const StepView& step, std::vector<std::int32_t>& chosen) = 0;

    // Best first. REQUIRES: the search has ended, and this is called once.
    virtual std::vector<Hypothesis> result() = 0;
};

}  // namespace softalign
