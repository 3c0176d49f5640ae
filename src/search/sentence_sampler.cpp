#include "search/sentence_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "search/scoring.h"
#include "search/step_model.h"

namespace softalign {

namespace {

// exp(log_prob / temperature) of every token, to a common factor.
std::vector<double> tempered(const float* log_probs, std::int64_t vocabulary, double temperature) {
    const double highest = *std::max_element(log_probs, log_probs + vocabulary);
    std::vector<double> weights(static_cast<std::size_t>(vocabulary));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = log_probs[i] > never ? std::exp((log_probs[i] - highest) / temperature) : 0.0;
    }
    return weights;
}

// Sets to 0 the weights of all tokens but the most probable `top_k`, and of these all but the fewest that hold top_p.
void truncate(const SearchConfig& options, std::vector<double>& weights) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    const std::size_t most =
        options.top_k > 0 ? std::min(weights.size(), static_cast<std::size_t>(options.top_k)) : weights.size();
    double total = 0.0;
    for (std::size_t i = 0; i < most; ++i) {
        total += weights[order[i]];
    }
    double held = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        double& weight = weights[order[i]];
        if (i >= most || (i > 0 && held >= options.top_p * total)) {
            weight = 0.0;
        }
        held += weight;
    }
}

}  // namespace

std::int32_t draw_token(const SearchConfig& options, const float* log_probs, std::int64_t vocabulary, double uniform) {
    std::vector<double> weights = tempered(log_probs, vocabulary, options.temperature);
    if (options.top_k > 0 || options.top_p < 1.0) {
        truncate(options, weights);
    }
    const double target = uniform * std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0.0;
    std::int32_t last = -1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] > 0.0) {
            last = static_cast<std::int32_t>(i);
            sum += weights[i];
            if (sum > target) {
                break;
            }
        }
    }
    return last;
}

SentenceSampler::SentenceSampler(const SearchOptions& options, const SearchTask& task, std::int64_t row)
    : options_(options),
      task_(task),
      restrictions_(options, task),
      live_(1),
      finished_(static_cast<std::size_t>(options.n_best)) {
    live_.front().prefix.row = row;
}

void SentenceSampler::restrict(float* log_probs, std::int64_t vocabulary) const {
    for (const Live& live : live_) {
        restrictions_.apply({length_, live.node, live.start, 0, {}}, tree_, log_probs + live.prefix.row * vocabulary,
                            vocabulary);
    }
}

void SentenceSampler::advance(const StepView& step, std::vector<std::int32_t>& /*chosen*/) {
    std::vector<Live> next;
    for (const Live& live : live_) {
        if (live.output >= 0) {
            draw(live, live.output, step, next);
            continue;
        }
        for (std::int64_t output = 0; output < options_.n_best; ++output) {
            draw(live, output, step, next);
        }
    }
    ++length_;
    live_ = std::move(next);
}

void SentenceSampler::draw(const Live& live, std::int64_t output, const StepView& step, std::vector<Live>& next) {
    const float* log_probs = step.log_probs + live.prefix.row * step.vocabulary;
    auto token = static_cast<std::int32_t>(options_.eos);
    if (length_ < task_.max_length) {
        Random random(mix_key(
            {options_.seed, task_.key, static_cast<std::uint64_t>(output), static_cast<std::uint64_t>(length_)}));
        token = draw_token(options_, log_probs, step.vocabulary, random.uniform());
    }
    if (token < 0 || !(log_probs[token] > never)) {
        return;  // nothing may follow: there is no such output
    }
    const std::int32_t node = tree_.add(live.node, token, log_probs[token], step, live.prefix.row);
    const double log_prob = live.prefix.log_prob + log_probs[token];
    if (token == options_.eos) {
        finished_[static_cast<std::size_t>(output)] = {node, length_ + 1, log_prob};
        return;
    }
    next.push_back({{log_prob, token, live.prefix.row, 0}, node, task_.prefix.next(live.start, token), output});
}

std::vector<Hypothesis> SentenceSampler::result() {
    std::vector<Hypothesis> hypotheses;
    for (std::int64_t output = 0; output < options_.n_best; ++output) {
        const Finished& finished = finished_[static_cast<std::size_t>(output)];
        if (finished.length == 0) {
            continue;
        }
        Hypothesis hypothesis = tree_.trace(finished.node, options_.keep_attention);
        hypothesis.log_prob = finished.log_prob;
        hypothesis.length_norm = length_norm(options_, finished.length);
        if (options_.coverage_penalty > 0.0) {
            hypothesis.coverage = coverage_of(tree_.attended(finished.node, task_.source_length));
        }
        hypothesis.score = score_of(options_, finished.log_prob, finished.length, hypothesis.coverage);
        hypotheses.push_back(std::move(hypothesis));
    }
    tree_.clear();
    return hypotheses;
}

}  // namespace softalign
