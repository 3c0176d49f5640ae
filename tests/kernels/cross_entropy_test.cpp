#include "kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.h"

namespace softalign {
namespace {

std::vector<double> sample_logits(std::int64_t vocabulary) {
    std::vector<double> logits;
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        logits.push_back(5.0 * std::sin(static_cast<double>(i * i)));
    }
    return logits;
}

double log_sum(const std::vector<double>& logits) {
    double sum = 0.0;
    for (const double logit : logits) {
        sum += std::exp(logit);
    }
    return std::log(sum);
}

// Probabilities, with zeros.
std::vector<double> sample_spread(std::int64_t vocabulary) {
    std::vector<double> spread;
    double sum = 0.0;
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        spread.push_back(i % 3 == 1 ? 0.0 : 1.0 + static_cast<double>(i % 5));
        sum += spread.back();
    }
    for (double& share : spread) {
        share /= sum;
    }
    return spread;
}

template <typename T>
void expect_loss_and_gradient(std::int64_t vocabulary, double epsilon, double tolerance) {
    const std::vector<double> logits = sample_logits(vocabulary);
    const std::int64_t target = vocabulary / 2;
    std::vector<T> row(logits.begin(), logits.end());
    const std::vector<double> shares = sample_spread(vocabulary);
    const std::vector<T> spread(shares.begin(), shares.end());
    const WordLoss loss = cross_entropy_row(row.data(), vocabulary, target, epsilon, spread.data());
    const double normalizer = log_sum(logits);
    double objective = 0.0;
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double wanted = (i == target ? 1.0 - epsilon : 0.0) + epsilon * shares[at];
        objective -= wanted * (logits[at] - normalizer);
        EXPECT_NEAR(row[at], std::exp(logits[at] - normalizer) - wanted, tolerance) << vocabulary << " " << i;
    }
    EXPECT_NEAR(loss.objective, objective, 20.0 * tolerance);
    EXPECT_NEAR(loss.negative_log_prob, normalizer - logits[static_cast<std::size_t>(target)], 20.0 * tolerance);
}

TEST(CrossEntropyRow, GivesTheLossAndItsGradient) {
    for (const std::int64_t vocabulary : kernel_lengths()) {
        for (const double epsilon : {0.0, 0.1}) {
            expect_loss_and_gradient<float>(vocabulary, epsilon, 1e-6);
            expect_loss_and_gradient<double>(vocabulary, epsilon, 1e-13);
        }
    }
}

TEST(CrossEntropyRow, NanReachesTheLoss) {
    std::vector<float> row(50, 1.0F);
    row[40] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(cross_entropy_row(row.data(), 50, 3, 0.0, nullptr).objective));
}

struct PairOfRows {
    std::vector<double> first;
    std::vector<double> second;
};

// The equations, term by term; `spread` is not read if epsilon is 0.
double r_drop_objective(const PairOfRows& logits, const PairTarget<double>& of) {
    const double normalizers[] = {log_sum(logits.first), log_sum(logits.second)};
    double objective = 0.0;
    for (std::int64_t i = 0; i < of.vocabulary; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double p = logits.first[at] - normalizers[0];
        const double q = logits.second[at] - normalizers[1];
        const double wanted = (i == of.target ? 1.0 - of.epsilon : 0.0) + of.epsilon * of.spread[i];
        objective -= 0.5 * wanted * (p + q);
        objective += 0.25 * of.alpha * (std::exp(p) * (p - q) + std::exp(q) * (q - p));
    }
    return objective;
}

// The derivative of the objective with respect to logit i of either row, by differences.
double slope(PairOfRows logits, std::vector<double> PairOfRows::*row, std::size_t i, const PairTarget<double>& of) {
    constexpr double step = 1e-5;
    (logits.*row)[i] += step;
    const double above = r_drop_objective(logits, of);
    (logits.*row)[i] -= 2.0 * step;
    return (above - r_drop_objective(logits, of)) / (2.0 * step);
}

template <typename T>
void expect_r_drop(std::int64_t vocabulary, double epsilon, double tolerance) {
    PairOfRows logits{sample_logits(vocabulary), sample_logits(vocabulary)};
    for (std::size_t i = 0; i < logits.second.size(); ++i) {
        logits.second[i] += std::cos(static_cast<double>(3 * i));
    }
    const std::vector<double> shares = sample_spread(vocabulary);
    const PairTarget<double> of{vocabulary, vocabulary / 2, epsilon, shares.data(), 2.0};
    std::vector<T> first(logits.first.begin(), logits.first.end());
    std::vector<T> second(logits.second.begin(), logits.second.end());
    const std::vector<T> spread(shares.begin(), shares.end());
    const WordLoss loss =
        r_drop_row(first.data(), second.data(), PairTarget<T>{vocabulary, of.target, epsilon, spread.data(), of.alpha});
    EXPECT_NEAR(loss.objective, r_drop_objective(logits, of), 20.0 * tolerance);
    const auto target = static_cast<std::size_t>(of.target);
    EXPECT_NEAR(loss.negative_log_prob,
                0.5 * (log_sum(logits.first) - logits.first[target] + log_sum(logits.second) - logits.second[target]),
                20.0 * tolerance);
    // Some in the vector loops, all in the rest, the target; differences are no more exact than 1e-8.
    for (std::size_t i = 0; i < first.size(); i += i + 40 < first.size() ? 7 : 1) {
        EXPECT_NEAR(first[i], slope(logits, &PairOfRows::first, i, of), tolerance + 1e-8) << vocabulary << " " << i;
        EXPECT_NEAR(second[i], slope(logits, &PairOfRows::second, i, of), tolerance + 1e-8) << vocabulary << " " << i;
    }
    EXPECT_NEAR(first[target], slope(logits, &PairOfRows::first, target, of), tolerance + 1e-8);
}

TEST(RDropRow, GivesTheLossAndItsGradient) {
    for (const std::int64_t vocabulary : kernel_lengths()) {
        for (const double epsilon : {0.0, 0.1}) {
            expect_r_drop<float>(vocabulary, epsilon, 5e-6);
            expect_r_drop<double>(vocabulary, epsilon, 1e-13);
        }
    }
}

TEST(RDropRow, NanReachesTheLoss) {
    std::vector<float> first(50, 1.0F);
    std::vector<float> second(50, 1.0F);
    second[40] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(
        std::isnan(r_drop_row(first.data(), second.data(), PairTarget<float>{50, 3, 0.0, nullptr, 1.0}).objective));
}

TEST(LogSoftmaxRow, IsTheLogarithmOfTheSoftmax) {
    for (const std::int64_t vocabulary : kernel_lengths()) {
        const std::vector<double> logits = sample_logits(vocabulary);
        std::vector<float> row(logits.begin(), logits.end());
        log_softmax_row(row.data(), vocabulary);
        const double normalizer = log_sum(logits);
        for (std::size_t i = 0; i < row.size(); ++i) {
            EXPECT_NEAR(row[i], logits[i] - normalizer, 3e-6);
        }
    }
}

TEST(LogSoftmaxRow, WhatIsForbiddenStaysForbiddenAndNanShows) {
    std::vector<float> row(40, 0.0F);
    row[7] = -std::numeric_limits<float>::infinity();
    log_softmax_row(row.data(), 40);
    EXPECT_EQ(row[7], -std::numeric_limits<float>::infinity());
    EXPECT_NEAR(row[0], -std::log(39.0), 1e-6);
    row[8] = std::numeric_limits<float>::quiet_NaN();
    log_softmax_row(row.data(), 40);
    EXPECT_TRUE(std::isnan(row[0]));
}

}  // namespace
}  // namespace softalign
