#include "ops/loss.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cross_entropy.h"
#include "ops/affine.h"
#include "ops/output_layer.h"
#include "ops/packed_weights.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SmoothedCrossEntropy : public torch::autograd::Function<SmoothedCrossEntropy> {
public:
    static variable_list forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& targets,
                                 double epsilon, const at::Tensor& spread) {
        const at::Tensor normalizer = logits.logsumexp(1);                           // [N]
        const at::Tensor truth = logits.gather(1, targets.unsqueeze(1)).squeeze(1);  // [N]
        const at::Tensor negative_log_prob = (normalizer - truth).sum();
        at::Tensor objective = negative_log_prob;
        if (epsilon > 0.0) {
            objective = (normalizer - truth.mul(1.0 - epsilon) - logits.matmul(spread).mul(epsilon)).sum();
        }
        context->save_for_backward({logits, targets, normalizer, spread});
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
            gradient.sub_(saved[3], epsilon);
        }
        gradient.scatter_add_(1, targets.unsqueeze(1),
                              at::full({targets.size(0), 1}, epsilon - 1.0, gradient.options()));
        gradient.mul_(gradients[0]);
        return {gradient, at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

// The most logits held at a time: 16 MiB of float32. Fewer would mean more passes over the weight's gradient.
constexpr std::int64_t logits_at_once = std::int64_t{1} << 22;

// What is minimised for each word.
struct WordObjective {
    double epsilon;
    at::Tensor spread;            // [V]
    std::optional<double> alpha;  // of R-Drop: rows 2i and 2i + 1 are passes of one word
    at::Tensor weights{};         // [P] that the loss of each word is multiplied by; undefined: 1. Not with R-Drop

    // That of the rows from `begin` on.
    WordObjective of_rows(std::int64_t begin, std::int64_t count) const {
        return {epsilon, spread, alpha, weights.defined() ? weights.narrow(0, begin, count) : weights};
    }

    std::int64_t rows_of_word() const { return alpha ? 2 : 1; }
};

// The losses of a group of words; their logits [n,V] become gradients.
template <typename T>
WordLoss losses_of_rows(at::Tensor& logits, const at::Tensor& targets, const WordObjective& objective) {
    WordLoss sum{0.0, 0.0};
    const std::int64_t vocabulary = logits.size(1);
    const std::int64_t* target = targets.data_ptr<std::int64_t>();
    const T* spread = objective.spread.data_ptr<T>();
    for (std::int64_t i = 0; i < logits.size(0); i += objective.rows_of_word()) {
        T* const row = logits.data_ptr<T>() + i * vocabulary;
        const WordLoss loss =
            objective.alpha
                ? r_drop_row(row, row + vocabulary,
                             PairTarget<T>{vocabulary, target[i], objective.epsilon, spread, *objective.alpha})
                : cross_entropy_row(row, vocabulary, target[i], objective.epsilon, spread);
        T weight = 1;
        if (objective.weights.defined()) {
            weight = objective.weights.data_ptr<T>()[i];
            std::for_each(row, row + vocabulary, [weight](T& gradient) { gradient *= weight; });
        }
        sum.objective += static_cast<double>(weight) * loss.objective;
        sum.negative_log_prob += loss.negative_log_prob;
    }
    return sum;
}

// The sums over all groups: numbers where there is a fused form; elsewhere tensors, for which nobody waits.
class LossSums {
public:
    // Adds a group of words, whose logits [n,V] become gradients.
    void add(at::Tensor& logits, const at::Tensor& targets, const WordObjective& objective) {
        if (!has_fused_form(logits)) {
            add_pairs(logits, targets, objective);
            return;
        }
        WordLoss group{0.0, 0.0};
        AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "output loss",
                                   [&] { group = losses_of_rows<scalar_t>(logits, targets, objective); });
        numbers_.objective += group.objective;
        numbers_.negative_log_prob += group.negative_log_prob;
    }

    CrossEntropy of_type(at::ScalarType type) const {
        // By way of double, for a loss beyond the range of float is infinite, not an error.
        const auto scalar = [&](double number, const at::Tensor& tensor) {
            return (tensor.defined() ? tensor : at::full({}, number, at::kDouble)).to(type);
        };
        return {scalar(numbers_.objective, tensors_.objective),
                scalar(numbers_.negative_log_prob, tensors_.negative_log_prob)};
    }

private:
    void add_pairs(at::Tensor& logits, const at::Tensor& targets, const WordObjective& objective) {
        const at::AutoGradMode with_gradients(true);
        const at::Tensor leaf = logits.detach().requires_grad_(true);
        const CrossEntropy group =
            r_drop_plain(leaf, targets, {{objective.epsilon, objective.spread}, *objective.alpha});
        logits = torch::autograd::grad({group.objective}, {leaf})[0];
        const at::Tensor sum = group.objective.detach();
        tensors_.objective = tensors_.objective.defined() ? tensors_.objective + sum : sum;
        tensors_.negative_log_prob = tensors_.negative_log_prob.defined()
                                         ? tensors_.negative_log_prob + group.negative_log_prob
                                         : group.negative_log_prob;
    }

    WordLoss numbers_{0.0, 0.0};
    CrossEntropy tensors_{};
};

// A matrix of the output layer, and the columns of the inputs that it multiplies.
struct Factor {
    at::Tensor weight;  // [V,R]
    std::int64_t begin;
    at::Tensor gradient;  // [V,R]; undefined where unwanted

    at::Tensor of(const at::Tensor& inputs) const { return inputs.narrow(1, begin, weight.size(1)); }
};

class OutputLoss : public torch::autograd::Function<OutputLoss> {
public:
    // `second` has no elements where there is none: LibTorch takes no undefined argument.
    static variable_list forward(AutogradContext* context, const at::Tensor& readouts, const at::Tensor& weight,
                                 const at::Tensor& bias, const at::Tensor& second, const at::Tensor& targets,
                                 const WordObjective& of_word, PackedWeights* packed, bool wants_gradients) {
        const std::int64_t rows = readouts.size(0);
        const std::int64_t vocabulary = weight.size(0);
        const std::int64_t together = of_word.rows_of_word();
        const std::int64_t words = rows / together;
        const std::int64_t most = std::max<std::int64_t>(logits_at_once / vocabulary / together, 1);
        const std::int64_t groups = (words + most - 1) / most;
        const std::int64_t group = (words + groups - 1) / groups * together;
        const auto like = [&](const at::Tensor& x) { return wants_gradients ? at::empty_like(x) : at::Tensor(); };
        std::vector<Factor> factors{{weight, 0, like(weight)}};
        if (second.numel() > 0) {
            factors.push_back({second, weight.size(1), like(second)});
        }
        LossSums sums;
        at::Tensor grad_readouts = like(readouts);
        at::Tensor grad_bias = wants_gradients ? at::zeros_like(bias) : at::Tensor();
        for (std::int64_t begin = 0; begin < rows; begin += group) {
            const std::int64_t count = std::min(group, rows - begin);
            const at::Tensor of_group = readouts.narrow(0, begin, count);
            at::Tensor part = logits_of(of_group, factors, bias, packed, wants_gradients);
            sums.add(part, targets.narrow(0, begin, count), of_word.of_rows(begin, count));
            if (wants_gradients) {
                for (const Factor& factor : factors) {
                    factor.of(grad_readouts.narrow(0, begin, count))
                        .copy_(weight_product(part, factor.weight, Pass::backward, at::Tensor(), packed, true));
                    add_weight_gradient(factor.gradient, part, factor.of(of_group),
                                        begin == 0 ? Sum::starts : Sum::continues, packed);
                }
                grad_bias.add_(part.sum(0));
            }
        }
        context->save_for_backward({weight, bias, second, grad_readouts, factors.front().gradient, grad_bias,
                                    factors.size() > 1 ? factors.back().gradient : at::Tensor()});
        const CrossEntropy result = sums.of_type(readouts.scalar_type());
        context->mark_non_differentiable({result.negative_log_prob});
        return {result.objective, result.negative_log_prob};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const bool on_host = gradients[0].device().is_cpu();
        const double scale = on_host ? gradients[0].item<double>() : 0.0;
        const auto scaled = [&](const at::Tensor& gradient) {
            return on_host ? (scale == 1.0 ? gradient : gradient * scale) : gradient * gradients[0];
        };
        return {scaled(saved[3]),
                deposit(saved[0], scaled(saved[4])),
                deposit(saved[1], scaled(saved[5])),
                saved[6].defined() ? deposit(saved[2], scaled(saved[6])) : at::Tensor(),
                at::Tensor(),
                at::Tensor(),
                at::Tensor(),
                at::Tensor()};
    }

private:
    static at::Tensor logits_of(const at::Tensor& readouts, const std::vector<Factor>& factors, const at::Tensor& bias,
                                PackedWeights* packed, bool weight_changes) {
        at::Tensor sum;
        for (const Factor& factor : factors) {
            const at::Tensor product = weight_product(factor.of(readouts), factor.weight, Pass::forward,
                                                      sum.defined() ? at::Tensor() : bias, packed, weight_changes);
            sum = sum.defined() ? sum.add_(product) : product;
        }
        return sum;
    }
};

at::Tensor spread_over(const at::Tensor& logits_like, std::int64_t vocabulary, const Smoothing& smoothing) {
    return smoothing.spread.defined() ? smoothing.spread
                                      : at::full({vocabulary}, 1.0 / static_cast<double>(vocabulary),
                                                 logits_like.options().requires_grad(false));
}

CrossEntropy by_groups(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                       const WordObjective& of_word, const Execution& execution) {
    const at::Tensor second = layer.second.defined() ? layer.second : at::empty({0}, targets.options());
    const bool wants_gradients = at::GradMode::is_enabled() &&
                                 (readouts.requires_grad() || layer.weight.requires_grad() || second.requires_grad());
    const variable_list sums = OutputLoss::apply(readouts.contiguous(), layer.weight, layer.bias, second,
                                                 targets.contiguous(), of_word, execution.weights, wants_gradients);
    return {sums[0], sums[1]};
}

}  // namespace

CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& targets, const Smoothing& smoothing) {
    const variable_list sums =
        SmoothedCrossEntropy::apply(logits, targets, smoothing.epsilon, spread_over(logits, logits.size(1), smoothing));
    return {sums[0], sums[1]};
}

CrossEntropy output_loss(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                         const Smoothing& smoothing, const Execution& execution) {
    if (!has_fused_form(readouts) || readouts.size(0) == 0) {
        return cross_entropy(output_logits(readouts, layer, execution), targets, smoothing);
    }
    return by_groups(readouts, layer, targets,
                     {smoothing.epsilon, spread_over(readouts, layer.weight.size(0), smoothing), {}}, execution);
}

at::Tensor weighted_output_loss(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                                const at::Tensor& weights, const Execution& execution) {
    if (!has_fused_form(readouts) || readouts.size(0) == 0) {
        const at::Tensor log_probs = output_logits(readouts, layer, execution).log_softmax(1);
        return -log_probs.gather(1, targets.unsqueeze(1)).squeeze(1).mul(weights.to(readouts.options())).sum();
    }
    const at::Tensor spread = spread_over(readouts, layer.weight.size(0), 0.0);
    return by_groups(readouts, layer, targets, {0.0, spread, {}, weights.to(readouts.options()).contiguous()},
                     execution)
        .objective;
}

CrossEntropy r_drop_loss(const at::Tensor& readouts, const OutputLayer& layer, const at::Tensor& targets,
                         const RDrop& objective, const Execution& execution) {
    const Smoothing& smoothing = objective.smoothing;
    return by_groups(readouts, layer, targets,
                     {smoothing.epsilon, spread_over(readouts, layer.weight.size(0), smoothing), objective.alpha},
                     execution);
}

CrossEntropy r_drop_plain(const at::Tensor& logits, const at::Tensor& targets, const RDrop& objective) {
    const double epsilon = objective.smoothing.epsilon;
    const at::Tensor log_probs = logits.log_softmax(1);
    const at::Tensor truth = log_probs.gather(1, targets.unsqueeze(1)).sum();
    const at::Tensor smoothed = log_probs.matmul(spread_over(logits, logits.size(1), objective.smoothing)).sum();
    const at::Tensor pairs = log_probs.view({-1, 2, logits.size(1)});
    const at::Tensor divergences = (pairs.exp() * (pairs - pairs.flip(1))).sum();
    const at::Tensor entropies = truth * (epsilon - 1.0) - smoothed * epsilon;
    return {(entropies + divergences * (0.5 * objective.alpha)) * 0.5, truth.detach() * -0.5};
}

at::Tensor log_softmax(at::Tensor logits) {
    if (!logits.device().is_cpu() || logits.scalar_type() != at::kFloat || !logits.is_contiguous()) {
        return at::log_softmax(logits, 1, at::kFloat);
    }
    auto* row = logits.data_ptr<float>();
    for (std::int64_t i = 0; i < logits.size(0); ++i) {
        log_softmax_row(row + i * logits.size(1), logits.size(1));
    }
    return logits;
}

}  // namespace softalign
