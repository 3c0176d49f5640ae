#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "search/step_model.h"

namespace softalign {

// How the models of an ensemble are averaged, with weights w_i that sum to 1:
//   probability  log p = log sum_i w_i p_i, a distribution again
//   log          log p = sum_i w_i log p_i, not renormalised, so that the parts of a sentence add up
enum class EnsembleSpace { probability, log };

struct EnsembleOptions {
    EnsembleSpace space = EnsembleSpace::probability;
    std::vector<double> weights;  // of the models, in their order; >= 0, not all 0; empty = all the same
    bool keep_parts = false;      // give model_log_probs
};

// The weights divided by their sum, one for each of `models`. Throws Error(configuration) if their number differs, if
// one is negative or not finite, or if all are 0.
std::vector<double> normalised_weights(const std::vector<double>& weights, std::size_t models);

// The average of the log-probabilities that models give the same tokens, elementwise, in the type of the first: tensors
// of one shape, natural logarithms, <= 0, possibly -infinity. They are used up: the average takes the place of one. A
// model of weight 0 has no effect. REQUIRES: weights are normalised.
at::Tensor average_log_probs(std::vector<at::Tensor> log_probs, std::vector<double> weights, EnsembleSpace space);

// Several models as one. Each has its own state, so their architectures may differ.
class EnsembleStepper : public StepModel {
public:
    struct Member {
        std::unique_ptr<StepModel> model;
        bool shares_source = true;  // its source positions are those of the first, so that its attention counts
    };

    // REQUIRES: at least one member, of one batch and one target vocabulary. Throws as normalised_weights does.
    EnsembleStepper(std::vector<Member> members, const EnsembleOptions& options);

    // The attention is the mean over the members that share their source with the first and have attention, weighted
    // like the models; undefined if there is no such member with a weight above 0.
    StepOutput step(const at::Tensor& previous) override;
    void select(const at::Tensor& rows) override;

private:
    std::vector<Member> members_;
    std::vector<double> weights_;
    EnsembleSpace space_;
    bool keep_parts_;
};

}  // namespace softalign
