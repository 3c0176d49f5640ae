#include "search/ensemble_stepper.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "ops/log_mean.h"

namespace softalign {

namespace {

Error bad_weights(const std::string& what) {
    return {ExitCode::configuration, "the weights of the ensemble " + what};
}

}  // namespace

std::vector<double> normalised_weights(const std::vector<double>& weights, std::size_t models) {
    if (weights.empty()) {
        return std::vector<double>(models, 1.0 / static_cast<double>(models));
    }
    if (weights.size() != models) {
        throw bad_weights("are " + std::to_string(weights.size()) + " for " + counted(models, "model") +
                          "; give one for each, in their order");
    }
    if (std::any_of(weights.begin(), weights.end(), [](double w) { return !(w >= 0.0) || !std::isfinite(w); })) {
        throw bad_weights("must be numbers of 0 or more");
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(sum > 0.0) || !std::isfinite(sum)) {
        throw bad_weights("must have a sum above 0");
    }
    std::vector<double> result;
    result.reserve(weights.size());
    for (const double weight : weights) {
        result.push_back(weight / sum);
    }
    return result;
}

at::Tensor average_log_probs(std::vector<at::Tensor> log_probs, std::vector<double> weights, EnsembleSpace space) {
    for (std::size_t i = weights.size(); i-- > 0;) {
        if (weights[i] == 0.0) {  // 0 * -infinity would not be a number
            weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(i));
            log_probs.erase(log_probs.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    if (space == EnsembleSpace::probability) {
        return log_of_mean(log_probs, weights);
    }
    at::Tensor total = log_probs.front().mul_(weights.front());
    for (std::size_t i = 1; i < log_probs.size(); ++i) {
        total.add_(log_probs[i], weights[i]);
    }
    return total.clamp_max_(0.0);  // the sum of weights may round to more than 1
}

EnsembleStepper::EnsembleStepper(std::vector<Member> members, const EnsembleOptions& options)
    : members_(std::move(members)),
      weights_(normalised_weights(options.weights, members_.size())),
      space_(options.space),
      keep_parts_(options.keep_parts) {}

StepOutput EnsembleStepper::step(const at::Tensor& previous) {
    const at::NoGradGuard no_gradients;
    StepOutput output;
    std::vector<at::Tensor> log_probs;
    double attention_weight = 0.0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const StepOutput part = members_[i].model->step(previous);
        log_probs.push_back(part.log_probs);
        if (part.attention.defined() && members_[i].shares_source && weights_[i] > 0.0) {
            const at::Tensor weighted = part.attention * weights_[i];
            output.attention = output.attention.defined() ? output.attention + weighted : weighted;
            attention_weight += weights_[i];
        }
    }
    if (output.attention.defined()) {
        output.attention = output.attention / attention_weight;
    }
    if (keep_parts_) {
        for (const at::Tensor& part : log_probs) {
            output.model_log_probs.push_back(part.clone());
        }
    }
    output.log_probs = average_log_probs(std::move(log_probs), weights_, space_);
    return output;
}

void EnsembleStepper::select(const at::Tensor& rows) {
    for (const Member& member : members_) {
        member.model->select(rows);
    }
}

}  // namespace softalign
