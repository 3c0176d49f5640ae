#include "model/loss.h"

#include <torch/csrc/autograd/custom_function.h>

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SmoothedCrossEntropy : public torch::autograd::Function<SmoothedCrossEntropy> {
public:
    static variable_list forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& targets,
                                 double epsilon) {
        const at::Tensor normalizer = logits.logsumexp(1);                           // [N]
        const at::Tensor truth = logits.gather(1, targets.unsqueeze(1)).squeeze(1);  // [N]
        const at::Tensor negative_log_prob = (normalizer - truth).sum();
        at::Tensor objective = negative_log_prob;
        if (epsilon > 0.0) {
            objective = (normalizer - truth.mul(1.0 - epsilon) - logits.mean(1).mul(epsilon)).sum();
        }
        context->save_for_backward({logits, targets, normalizer});
        context->saved_data["epsilon"] = epsilon;
        context->mark_non_differentiable({negative_log_prob});
        return {epsilon > 0.0 ? objective : objective.clone(), negative_log_prob};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& logits = saved[0];
        const at::Tensor& targets = saved[1];
        const at::Tensor& normalizer = saved[2];
        const double epsilon = context->saved_data["epsilon"].toDouble();
        at::Tensor gradient = logits.sub(normalizer.unsqueeze(1)).exp_();  // [N,V] softmax
        if (epsilon > 0.0) {
            gradient.sub_(epsilon / static_cast<double>(logits.size(1)));
        }
        gradient.scatter_add_(1, targets.unsqueeze(1),
                              at::full({targets.size(0), 1}, epsilon - 1.0, gradient.options()));
        gradient.mul_(gradients[0]);
        return {gradient, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double epsilon) {
    const variable_list sums = SmoothedCrossEntropy::apply(logits, targets, epsilon);
    return {sums[0], sums[1]};
}

CrossEntropy cross_entropy_plain(const at::Tensor& logits, const at::Tensor& targets, double epsilon) {
    const at::Tensor log_probs = logits.log_softmax(1);
    const at::Tensor truth = log_probs.gather(1, targets.unsqueeze(1)).sum();
    const at::Tensor spread = log_probs.mean(1).sum();
    return {truth.mul(-(1.0 - epsilon)) - spread.mul(epsilon), truth.neg().detach()};
}

}  // namespace softalign
