#include "search/sentence_beam.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "search/scoring.h"
#include "search/step_model.h"

namespace softalign {

SentenceBeam::SentenceBeam(const SearchOptions& options, const SearchTask& task, std::int64_t row)
    : options_(options),
      task_(task),
      width_(options.beam / options.groups),
      n_best_(std::min(options.n_best, width_)),
      restrictions_(options, task),
      phrases_(task.phrases, task.whole_words),
      live_(1) {
    live_.front().prefix.row = row;
}

void SentenceBeam::restrict(float* log_probs, std::int64_t vocabulary) const {
    for (const Live& live : live_) {
        const std::int64_t missing = phrases_.tokens() - phrases_.occurred(live.phrases);
        const RestrictedPrefix prefix{length_, live.node, live.start, missing, phrases_.wanted(live.phrases)};
        restrictions_.apply(prefix, tree_, log_probs + live.prefix.row * vocabulary, vocabulary);
    }
}

void SentenceBeam::advance(const StepView& step, std::vector<std::int32_t>& chosen) {
    const std::vector<Candidate> next_ones = length_ < task_.max_length ? kept(candidates(step, chosen)) : ends(step);
    ++length_;
    std::vector<Live> next;
    for (const Candidate& candidate : next_ones) {
        chosen.push_back(candidate.token);
        extend(candidate, step, next);
    }
    live_ = std::move(next);
    if (settled()) {
        live_.clear();
    }
}

std::vector<SentenceBeam::Candidate> SentenceBeam::candidates(const StepView& step,
                                                              const std::vector<std::int32_t>& chosen) const {
    const TopK& best = *step.best;
    std::vector<Candidate> all;
    all.reserve(live_.size() * static_cast<std::size_t>(best.k));
    for (std::size_t from = 0; from < live_.size(); ++from) {
        const std::int64_t row = live_[from].prefix.row;
        for (std::int64_t i = 0; i < best.k && best.value(row, i) > never; ++i) {
            all.push_back(candidate(from, best.token(row, i), best.value(row, i)));
        }
        if (!phrases_.empty()) {
            add_wanted(step, from, all);
            add_boundary(step, from, all);
        }
    }
    for (Candidate& candidate : all) {
        candidate.rank -=
            options_.diversity * static_cast<double>(std::count(chosen.begin(), chosen.end(), candidate.token));
    }
    return all;
}

SentenceBeam::Candidate SentenceBeam::candidate(std::size_t from, std::int32_t token, float token_log_prob) const {
    const Live& live = live_[from];
    return {live.prefix.log_prob + token_log_prob, token_log_prob, token, from,
            phrases_.empty() ? PhraseProgress{} : phrases_.advance(live.phrases, token)};
}

// The tokens that bring phrases on, where they are not among the best of the row.
void SentenceBeam::add_wanted(const StepView& step, std::size_t from, std::vector<Candidate>& all) const {
    const std::int64_t row = live_[from].prefix.row;
    for (const std::int32_t token : phrases_.wanted(live_[from].phrases)) {
        const bool there = std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
            return candidate.from == from && candidate.token == token;
        });
        if (!there && step.log_prob(row, token) > never) {
            all.push_back(candidate(from, token, step.log_prob(row, token)));
        }
    }
}

// A prefix that has all phrases must be able to keep the one that it ends with, and to go on: the best token that does
// not continue its last word, where all others do.
void SentenceBeam::add_boundary(const StepView& step, std::size_t from, std::vector<Candidate>& all) const {
    const Live& live = live_[from];
    if (!phrases_.hangs(live.phrases) || !phrases_.complete(live.phrases)) {
        return;
    }
    const auto keeps = [&](std::int32_t token) { return token != options_.eos && phrases_.parts(live.phrases, token); };
    if (std::any_of(all.begin(), all.end(),
                    [&](const Candidate& candidate) { return candidate.from == from && keeps(candidate.token); })) {
        return;
    }
    std::int32_t best = -1;
    float highest = never;
    for (std::int32_t token = 0; token < step.vocabulary; ++token) {
        if (step.log_prob(live.prefix.row, token) > highest && keeps(token)) {
            best = token;
            highest = step.log_prob(live.prefix.row, token);
        }
    }
    if (best >= 0) {
        all.push_back(candidate(from, best, highest));
    }
}

// Every live prefix that may end, with eos.
std::vector<SentenceBeam::Candidate> SentenceBeam::ends(const StepView& step) const {
    std::vector<Candidate> all;
    for (std::size_t from = 0; from < live_.size(); ++from) {
        const float value = step.best->eos[static_cast<std::size_t>(live_[from].prefix.row)];
        if (value > never) {
            all.push_back(candidate(from, static_cast<std::int32_t>(options_.eos), value));
        }
    }
    return all;
}

std::vector<SentenceBeam::Candidate> SentenceBeam::kept(std::vector<Candidate> all) const {
    if (!phrases_.empty()) {
        return kept_by_phrases(all);
    }
    std::vector<Candidate> taken;
    take_best(std::move(all), width_, taken);
    return taken;
}

// Its phrase tokens. A phrase that it has begun counts only where it is free to go on with it: what the start leaves
// open may break it off again.
std::int64_t SentenceBeam::bank_of(const Candidate& candidate) const {
    const bool free = task_.prefix.complete(task_.prefix.next(live_[candidate.from].start, candidate.token));
    return free ? phrases_.met(candidate.phrases) : phrases_.occurred(candidate.phrases);
}

std::vector<SentenceBeam::Candidate> SentenceBeam::kept_by_phrases(const std::vector<Candidate>& all) const {
    std::vector<std::vector<Candidate>> banks(static_cast<std::size_t>(phrases_.tokens()) + 1);
    for (const Candidate& candidate : all) {
        banks[static_cast<std::size_t>(bank_of(candidate))].push_back(candidate);
    }
    std::vector<std::int64_t> available;
    available.reserve(banks.size());
    for (const std::vector<Candidate>& bank : banks) {
        available.push_back(static_cast<std::int64_t>(bank.size()));
    }
    const std::vector<std::int64_t> shares = share_beam(width_, available);
    std::vector<Candidate> taken;
    for (std::size_t bank = 0; bank < banks.size(); ++bank) {
        take_best(std::move(banks[bank]), shares[bank], taken);
    }
    std::stable_sort(taken.begin(), taken.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
    return taken;
}

// The best `width` that go on, and the ends that are among the best `width` of all.
void SentenceBeam::take_best(std::vector<Candidate> all, std::int64_t width, std::vector<Candidate>& taken) const {
    // Each live prefix has one end at most, so twice the width holds as many that go on.
    const auto considered = std::min(static_cast<std::ptrdiff_t>(all.size()), static_cast<std::ptrdiff_t>(2 * width));
    std::partial_sort(all.begin(), all.begin() + considered, all.end(), [](const Candidate& a, const Candidate& b) {
        return std::make_tuple(-a.rank, a.from, a.token) < std::make_tuple(-b.rank, b.from, b.token);
    });
    std::int64_t going_on = 0;
    for (std::ptrdiff_t i = 0; i < considered && going_on < width; ++i) {
        const Candidate& candidate = all[static_cast<std::size_t>(i)];
        const bool end = candidate.token == options_.eos;
        if (!end) {
            ++going_on;
        }
        if (!end || i < width) {
            taken.push_back(candidate);
        }
    }
}

void SentenceBeam::extend(const Candidate& candidate, const StepView& step, std::vector<Live>& next) {
    const Live& live = live_[candidate.from];
    const double log_prob = live.prefix.log_prob + candidate.token_log_prob;
    const std::int32_t node = tree_.add(live.node, candidate.token, candidate.token_log_prob, step, live.prefix.row);
    if (candidate.token == options_.eos) {
        finish(log_prob, node);
        return;
    }
    next.push_back({{log_prob, candidate.token, live.prefix.row, 0},
                    node,
                    task_.prefix.next(live.start, candidate.token),
                    candidate.phrases});
}

void SentenceBeam::finish(double log_prob, std::int32_t node) {
    ++finished_count_;
    const double coverage =
        options_.coverage_penalty > 0.0 ? coverage_of(tree_.attended(node, task_.source_length)) : 0.0;
    const double score = score_of(options_, log_prob, length_, coverage);
    const auto place = std::upper_bound(finished_.begin(), finished_.end(), score,
                                        [](double value, const Finished& other) { return value > other.score; });
    finished_.insert(place, {score, log_prob, coverage, length_, node});
    if (finished_.size() > static_cast<std::size_t>(n_best_)) {
        finished_.pop_back();
    }
}

bool SentenceBeam::settled() const {
    if (live_.empty()) {
        return true;
    }
    if (finished_.size() < static_cast<std::size_t>(n_best_)) {
        return false;
    }
    double best = -std::numeric_limits<double>::infinity();
    for (const Live& live : live_) {
        best = std::max(best, live.prefix.log_prob);
    }
    if (options_.patience > 0.0 &&
        static_cast<double>(finished_count_) >= options_.patience * static_cast<double>(width_) &&
        (width_ == 1 || score_of(options_, best, length_, 0.0) <= finished_.front().score)) {
        return true;
    }
    if (options_.groups > 1) {
        return false;  // later groups go by what this one takes
    }
    const std::int64_t shortest = std::max(length_, task_.min_length) + 1;
    return score_bound(options_, best, shortest, task_.max_length + 1) <= finished_.back().score;
}

std::vector<Hypothesis> SentenceBeam::result() {
    std::vector<Hypothesis> hypotheses;
    for (const Finished& finished : finished_) {
        hypotheses.push_back(tree_.trace(finished.node, options_.keep_attention));
        Hypothesis& hypothesis = hypotheses.back();
        hypothesis.log_prob = finished.log_prob;
        hypothesis.score = finished.score;
        hypothesis.length_norm = length_norm(options_, finished.length);
        hypothesis.coverage = finished.coverage;
    }
    tree_.clear();
    return hypotheses;
}

}  // namespace softalign
