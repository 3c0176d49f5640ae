#include "ops/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/differences.h"
#include "ops/plain_execution.h"
#include "ops/plain_forms.h"

namespace softalign {
namespace {

struct Case {
    at::Tensor logits;   // [6,7]
    at::Tensor targets;  // [6]
};

Case random_case(double scale, at::ScalarType type = at::kDouble) {
    at::manual_seed(21);
    const at::Tensor logits = (at::randn({6, 7}, at::kDouble) * scale).to(type).detach().requires_grad_(true);
    return {logits, at::tensor({0, 6, 3, 3, 1, 5}, at::kLong)};
}

// Value and gradient of 3 times the objective, so that a lost factor shows.
struct Evaluation {
    CrossEntropy sums;
    at::Tensor gradient;
};

template <typename Function>
Evaluation evaluate(Function function, const Case& c, const Smoothing& smoothing) {
    c.logits.mutable_grad() = at::Tensor();
    const CrossEntropy sums = function(c.logits, c.targets, smoothing);
    (sums.objective * 3.0).backward();
    return {sums, c.logits.grad().clone()};
}

// Of the seven words, some have none of the mass.
at::Tensor uneven_spread(at::ScalarType type = at::kDouble) {
    return at::tensor({0.0, 0.5, 0.0, 0.25, 0.125, 0.125, 0.0}, at::kDouble).to(type);
}

TEST(CrossEntropyLoss, SpreadsTheMassAsAsked) {
    for (const double epsilon : {0.1, 0.9}) {
        const Case c = random_case(1.0);
        const Smoothing smoothing(epsilon, uneven_spread());
        const Evaluation fast = evaluate(cross_entropy, c, smoothing);
        const Evaluation plain = evaluate(cross_entropy_plain, c, smoothing);
        EXPECT_NEAR(fast.sums.objective.item<double>(), plain.sums.objective.item<double>(), 1e-13);
        EXPECT_LE(largest_difference(fast.gradient, plain.gradient), 1e-13);
    }
}

TEST(CrossEntropyLoss, IsThePlainForm) {
    for (const double epsilon : {0.0, 0.1, 0.9}) {
        for (const double scale : {0.1, 1.0, 30.0}) {
            const Case c = random_case(scale);
            const Evaluation fast = evaluate(cross_entropy, c, epsilon);
            const Evaluation plain = evaluate(cross_entropy_plain, c, epsilon);
            const double unit = scale * 1e-13;
            EXPECT_NEAR(fast.sums.objective.item<double>(), plain.sums.objective.item<double>(), unit);
            EXPECT_NEAR(fast.sums.negative_log_prob.item<double>(), plain.sums.negative_log_prob.item<double>(), unit);
            EXPECT_LE(largest_difference(fast.gradient, plain.gradient), 1e-13) << epsilon << " " << scale;
        }
    }
}

TEST(CrossEntropyLoss, AgreesInFloat) {
    for (const double epsilon : {0.0, 0.1}) {
        const Case c = random_case(2.0, at::kFloat);
        const Evaluation fast = evaluate(cross_entropy, c, epsilon);
        const Evaluation plain = evaluate(cross_entropy_plain, c, epsilon);
        EXPECT_NEAR(fast.sums.objective.item<double>(), plain.sums.objective.item<double>(), 1e-4);
        EXPECT_LE(largest_difference(fast.gradient, plain.gradient), 2e-6);
    }
}

// -sum_v q_v log p_v with q = (1 - epsilon) onehot(y) + epsilon / V, term by term.
TEST(CrossEntropyLoss, IsTheCrossEntropyWithTheSmoothedDistribution) {
    const Case c = random_case(1.5);
    const double epsilon = 0.1;
    double objective = 0.0;
    double negative_log_prob = 0.0;
    for (std::int64_t n = 0; n < 6; ++n) {
        double normalizer = 0.0;
        for (std::int64_t v = 0; v < 7; ++v) {
            normalizer += std::exp(c.logits[n][v].item<double>());
        }
        for (std::int64_t v = 0; v < 7; ++v) {
            const bool truth = v == c.targets[n].item<std::int64_t>();
            const double log_prob = c.logits[n][v].item<double>() - std::log(normalizer);
            objective -= ((truth ? 1.0 - epsilon : 0.0) + epsilon / 7.0) * log_prob;
            negative_log_prob -= truth ? log_prob : 0.0;
        }
    }
    const CrossEntropy sums = cross_entropy(c.logits, c.targets, epsilon);
    EXPECT_NEAR(sums.objective.item<double>(), objective, 1e-12);
    EXPECT_NEAR(sums.negative_log_prob.item<double>(), negative_log_prob, 1e-12);
}

TEST(CrossEntropyLoss, GradientMatchesFiniteDifferences) {
    for (const double epsilon : {0.0, 0.1}) {
        const Case c = random_case(1.0);
        const auto scalar = [&] { return cross_entropy(c.logits, c.targets, epsilon).objective * 0.7; };
        EXPECT_LE(gradient_error(scalar, {c.logits}), 1e-9) << epsilon;
    }
}

TEST(CrossEntropyLoss, WithoutSmoothingBothSumsAreEqual) {
    const Case c = random_case(1.0);
    const CrossEntropy sums = cross_entropy(c.logits, c.targets, 0.0);
    EXPECT_EQ(sums.objective.item<double>(), sums.negative_log_prob.item<double>());
    EXPECT_TRUE(sums.objective.requires_grad());
    EXPECT_FALSE(sums.negative_log_prob.requires_grad());
}

TEST(CrossEntropyLoss, HugeLogitsStayFinite) {
    const Case c = random_case(1e4, at::kFloat);
    const Evaluation fast = evaluate(cross_entropy, c, 0.1);
    EXPECT_TRUE(std::isfinite(fast.sums.objective.item<double>()));
    EXPECT_TRUE(fast.gradient.isfinite().all().item<bool>());
}

TEST(CrossEntropyLoss, EvenLogitsCostLogV) {
    const at::Tensor targets = at::tensor({1, 2}, at::kLong);
    const CrossEntropy sums = cross_entropy(at::zeros({2, 50}, at::kDouble), targets, 0.3);
    EXPECT_NEAR(sums.objective.item<double>(), 2.0 * std::log(50.0), 1e-12);
    EXPECT_NEAR(sums.negative_log_prob.item<double>(), 2.0 * std::log(50.0), 1e-12);
}

// So many words that they are taken in groups.
TEST(OutputLoss, IsTheProjectionAndTheCrossEntropy) {
    at::manual_seed(12);
    const std::int64_t vocabulary = 40000;
    const at::Tensor readouts = (at::randn({250, 4}) * 0.3).requires_grad_(true);
    const at::Tensor weight = at::randn({vocabulary, 4}).requires_grad_(true);
    const at::Tensor bias = at::randn({vocabulary}).requires_grad_(true);
    const at::Tensor targets = at::randint(vocabulary, {250}, at::kLong);
    const auto gradients = [&](const CrossEntropy& sums) {
        (sums.objective * 2.0).backward();
        std::vector<at::Tensor> result;
        for (at::Tensor input : {readouts, weight, bias}) {
            result.push_back(input.grad());
            input.mutable_grad() = at::Tensor();
        }
        return result;
    };
    const CrossEntropy plain = cross_entropy_plain(at::linear(readouts, weight, bias), targets, 0.1);
    const CrossEntropy fast = output_loss(readouts, {weight, bias}, targets, 0.1, plain_execution);
    EXPECT_NEAR(fast.objective.item<double>() / plain.objective.item<double>(), 1.0, 1e-6);
    EXPECT_NEAR(fast.negative_log_prob.item<double>() / plain.negative_log_prob.item<double>(), 1.0, 1e-6);
    EXPECT_LE(largest_difference(gradients(fast), gradients(plain)), 2e-5);
}

TEST(OutputLoss, SpreadsTheMassAsAsked) {
    at::manual_seed(14);
    const at::Tensor readouts = differentiable({3, 2});
    const at::Tensor weight = differentiable({7, 2});
    const at::Tensor bias = differentiable({7});
    const at::Tensor targets = at::tensor({4, 0, 2}, at::kLong);
    const Smoothing smoothing(0.3, uneven_spread());
    const auto objective = [&] {
        return output_loss(readouts, {weight, bias}, targets, smoothing, plain_execution).objective;
    };
    EXPECT_NEAR(objective().item<double>(),
                cross_entropy_plain(at::linear(readouts, weight, bias), targets, smoothing).objective.item<double>(),
                1e-12);
    EXPECT_LE(gradient_error(objective, {readouts, weight, bias}), 1e-8);
}

TEST(OutputLoss, GradientsMatchFiniteDifferences) {
    at::manual_seed(13);
    const at::Tensor readouts = differentiable({3, 2});
    const at::Tensor weight = differentiable({5, 2});
    const at::Tensor bias = differentiable({5});
    const at::Tensor targets = at::tensor({4, 0, 2}, at::kLong);
    EXPECT_LE(gradient_error(
                  [&] {
                      return output_loss(readouts, {weight, bias}, targets, 0.1, plain_execution).objective;
                  },
                  {readouts, weight, bias}),
              1e-8);
}

// A second matrix multiplies the rest of the inputs. More words than are computed at once.
TEST(OutputLoss, ASecondMatrixIsAWiderFirst) {
    at::manual_seed(16);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const auto leaf = [&](at::IntArrayRef sizes) {
            return (at::randn(sizes, at::kDouble) * 0.5).to(type).detach().requires_grad_(true);
        };
        const std::int64_t vocabulary = type == at::kFloat ? 30000 : 7;
        const std::int64_t words = type == at::kFloat ? 300 : 5;
        const at::Tensor readouts = leaf({words, 5});
        const at::Tensor weight = leaf({vocabulary, 3});
        const at::Tensor bias = leaf({vocabulary});
        const at::Tensor second = leaf({vocabulary, 2});
        const at::Tensor targets = at::randint(vocabulary, {words}, at::kLong);
        const auto gradients = [&](const OutputLayer& layer) {
            (output_loss(readouts, layer, targets, 0.1, plain_execution).objective * 0.5).backward();
            return take_gradients({readouts, weight, bias, second});
        };
        const auto objective = [&](const OutputLayer& layer) {
            return output_loss(readouts, layer, targets, 0.1, plain_execution).objective.item<double>();
        };
        const OutputLayer two{weight, bias, second};
        const OutputLayer wide{at::cat({weight, second}, 1), bias};
        const double exact = type == at::kFloat ? 1e-6 : 1e-13;
        EXPECT_NEAR(objective(two) / objective(wide), 1.0, exact);
        EXPECT_LE(largest_difference(gradients(two), gradients(wide)), type == at::kFloat ? 2e-5 : 1e-13);
        const at::Tensor logits = output_logits(readouts, wide, plain_execution);
        EXPECT_LE(largest_difference(output_logits(readouts, two, plain_execution), logits), 10 * exact);
        EXPECT_LE(largest_difference(output_logits(readouts, two), logits), 10 * exact);
    }
}

// Weights of any sign; with the many words of float32 they are taken in groups.
TEST(WeightedOutputLoss, IsTheWeightedSumOfTheWords) {
    at::manual_seed(17);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const std::int64_t vocabulary = type == at::kFloat ? 40000 : 7;
        const std::int64_t words = type == at::kFloat ? 250 : 5;
        const auto leaf = [&](at::IntArrayRef sizes) {
            return (at::randn(sizes, at::kDouble) * 0.5).to(type).detach().requires_grad_(true);
        };
        const at::Tensor readouts = leaf({words, 5});
        const at::Tensor weight = leaf({vocabulary, 3});
        const at::Tensor bias = leaf({vocabulary});
        const at::Tensor second = leaf({vocabulary, 2});
        const at::Tensor targets = at::randint(vocabulary, {words}, at::kLong);
        const at::Tensor weights = at::randn({words}, at::kDouble).to(type);
        const OutputLayer layer{weight, bias, second};
        const auto gradients = [&](const at::Tensor& sum) {
            (sum * 2.0).backward();
            return take_gradients({readouts, weight, bias, second});
        };
        const auto found = [&] { return weighted_output_loss(readouts, layer, targets, weights, plain_execution); };
        const at::Tensor log_probs = output_logits(readouts, layer, plain_execution).log_softmax(1);
        const at::Tensor expected = -(log_probs.gather(1, targets.unsqueeze(1)).squeeze(1) * weights).sum();
        const double exact = type == at::kFloat ? 2e-5 : 1e-12;
        EXPECT_NEAR(found().item<double>() / expected.item<double>(), 1.0, exact);
        EXPECT_LE(largest_difference(gradients(found()), gradients(expected)), 5.0 * exact);
        if (type == at::kDouble) {
            EXPECT_LE(gradient_error(found, {readouts, weight, bias, second}), 1e-8);
        }
    }
}

TEST(WeightedOutputLoss, NeedsNoFusedForm) {
    at::manual_seed(18);
    const at::Tensor readouts = at::randn({4, 3}, at::kDouble);
    const at::Tensor weight = at::randn({7, 3}, at::kDouble);
    const at::Tensor bias = at::randn({7}, at::kDouble);
    const at::Tensor weights = at::tensor({0.5, -1.0, 2.0, 0.0}, at::kDouble);
    const at::Tensor targets = at::tensor({4, 0, 2, 6}, at::kLong);
    const auto sum = [&](at::ScalarType type) {
        return weighted_output_loss(readouts.to(type), {weight.to(type), bias.to(type)}, targets, weights.to(type),
                                    plain_execution)
            .item<double>();
    };
    EXPECT_NEAR(sum(at::kBFloat16), sum(at::kDouble), 0.1);
}

// Rows 2i and 2i + 1 are passes of one word.
struct Passes {
    at::Tensor readouts;  // [2P,R]
    at::Tensor weight;    // [V,R]
    at::Tensor bias;      // [V]
    at::Tensor targets;   // [2P]
};

Passes random_passes(std::int64_t words, std::int64_t vocabulary, at::ScalarType type) {
    at::manual_seed(15);
    const auto leaf = [&](at::IntArrayRef sizes) {
        return (at::randn(sizes, at::kDouble) * 0.5).to(type).detach().requires_grad_(true);
    };
    const at::Tensor targets = at::randint(vocabulary, {words}, at::kLong).repeat_interleave(2);
    return {leaf({2 * words, 4}), leaf({vocabulary, 4}), leaf({vocabulary}), targets};
}

// The gradients of 3 times the objective.
std::vector<at::Tensor> gradients_of(const Passes& passes, const CrossEntropy& sums) {
    (sums.objective * 3.0).backward();
    return take_gradients({passes.readouts, passes.weight, passes.bias});
}

CrossEntropy fast(const Passes& passes, const RDrop& objective) {
    return r_drop_loss(passes.readouts, {passes.weight, passes.bias}, passes.targets, objective, plain_execution);
}

CrossEntropy plain(const Passes& passes, const RDrop& objective) {
    return r_drop_plain(at::linear(passes.readouts, passes.weight, passes.bias), passes.targets, objective);
}

TEST(RDropLoss, GradientsAreThoseOfThePlainForm) {
    const Passes passes = random_passes(5, 7, at::kDouble);
    for (const double alpha : {0.0, 1.0, 5.0}) {
        for (const Smoothing& smoothing : {Smoothing(0.0), Smoothing(0.1), Smoothing(0.3, uneven_spread())}) {
            const RDrop objective{smoothing, alpha};
            const CrossEntropy found = fast(passes, objective);
            const CrossEntropy expected = plain(passes, objective);
            EXPECT_NEAR(found.objective.item<double>(), expected.objective.item<double>(), 1e-12);
            EXPECT_NEAR(found.negative_log_prob.item<double>(), expected.negative_log_prob.item<double>(), 1e-12);
            EXPECT_LE(largest_difference(gradients_of(passes, found), gradients_of(passes, expected)), 1e-12);
        }
    }
}

TEST(RDropLoss, GradientsMatchFiniteDifferences) {
    const Passes passes = random_passes(3, 7, at::kDouble);
    const RDrop objective{{0.1, uneven_spread()}, 5.0};
    for (const auto& form : {fast, plain}) {
        EXPECT_LE(gradient_error([&] { return form(passes, objective).objective; },
                                 {passes.readouts, passes.weight, passes.bias}),
                  1e-8);
    }
}

// So many words that they are taken in groups, of whole words.
TEST(RDropLoss, AgreesInFloatForManyWords) {
    const Passes passes = random_passes(101, 40000, at::kFloat);
    const RDrop objective{0.1, 5.0};
    const CrossEntropy found = fast(passes, objective);
    const CrossEntropy expected = plain(passes, objective);
    EXPECT_NEAR(found.objective.item<double>() / expected.objective.item<double>(), 1.0, 1e-6);
    EXPECT_NEAR(found.negative_log_prob.item<double>() / expected.negative_log_prob.item<double>(), 1.0, 1e-6);
    EXPECT_LE(largest_difference(gradients_of(passes, found), gradients_of(passes, expected)), 6e-5);
}

// A type without fused forms, of which three digits are right.
TEST(RDropLoss, NeedsNoFusedForm) {
    const Passes passes = random_passes(4, 7, at::kBFloat16);
    const Passes exact{passes.readouts.detach().to(at::kDouble).requires_grad_(true),
                       passes.weight.detach().to(at::kDouble).requires_grad_(true),
                       passes.bias.detach().to(at::kDouble).requires_grad_(true), passes.targets};
    const RDrop objective{0.1, 5.0};
    const CrossEntropy found = fast(passes, objective);
    const CrossEntropy expected = plain(exact, objective);
    EXPECT_NEAR(found.objective.item<double>() / expected.objective.item<double>(), 1.0, 0.02);
    const std::vector<at::Tensor> gradients = gradients_of(passes, found);
    const std::vector<at::Tensor> wanted = gradients_of(exact, expected);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_LE(largest_difference(gradients[i].to(at::kDouble), wanted[i]),
                  0.03 * wanted[i].abs().max().item<double>());
    }
}

TEST(RDropLoss, IsTheCrossEntropyOfTwoEqualPasses) {
    const Passes passes = random_passes(3, 7, at::kDouble);
    const at::Tensor once = passes.readouts.detach().slice(0, 0, 6, 2);
    const Passes equal{once.repeat_interleave(2, 0), passes.weight, passes.bias, passes.targets};
    const CrossEntropy alone =
        output_loss(once, {passes.weight, passes.bias}, passes.targets.slice(0, 0, 6, 2), 0.1, plain_execution);
    const CrossEntropy both = fast(equal, {0.1, 5.0});
    EXPECT_NEAR(both.objective.item<double>(), alone.objective.item<double>(), 1e-12);
    EXPECT_NEAR(both.negative_log_prob.item<double>(), alone.negative_log_prob.item<double>(), 1e-12);
}

}  // namespace
}  // namespace softalign
