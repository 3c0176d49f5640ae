#include "search/sentence_beam.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace softalign {

SentenceBeam::SentenceBeam(const SearchOptions& options, std::int64_t max_length)
    : options_(options), max_length_(max_length), live_(1) {}

void SentenceBeam::advance(const TopK& best, std::int64_t first_row, const StepAttention& attention) {
    attention_width_ = attention.width;
    std::vector<Live> kept = candidates(best, first_row);
    ++length_;
    std::vector<Live> next;
    for (Live& candidate : kept) {
        candidate.node = add_node(candidate, first_row, attention);
        if (candidate.token == options_.eos) {
            finish(candidate.log_prob, candidate.node);
        } else {
            next.push_back(candidate);
        }
    }
    live_ = std::move(next);
    if (live_.empty() || settled()) {
        end();
    }
}

// The candidates that the step keeps, best first.
std::vector<SentenceBeam::Live> SentenceBeam::candidates(const TopK& best, std::int64_t first_row) const {
    const bool forced = length_ == max_length_;
    std::vector<Live> all;
    all.reserve(live_.size() * static_cast<std::size_t>(forced ? 1 : best.k));
    for (std::size_t rank = 0; rank < live_.size(); ++rank) {
        const std::int64_t row = first_row + static_cast<std::int64_t>(rank);
        if (forced) {
            const double value = best.eos[static_cast<std::size_t>(row)];
            all.push_back({live_[rank].log_prob + value, row, static_cast<std::int32_t>(options_.eos), -1});
            continue;
        }
        for (std::int64_t i = 0; i < best.k; ++i) {
            if (best.token(row, i) != options_.unk) {
                all.push_back({live_[rank].log_prob + best.value(row, i), row, best.token(row, i), -1});
            }
        }
    }
    const std::size_t width = std::min(all.size(), static_cast<std::size_t>(options_.beam));
    std::partial_sort(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(width), all.end(), [](const Live& a, const Live& b) {
            return std::make_tuple(-a.log_prob, a.row, a.token) < std::make_tuple(-b.log_prob, b.row, b.token);
        });
    all.resize(width);
    return all;
}

std::int32_t SentenceBeam::add_node(const Live& candidate, std::int64_t first_row, const StepAttention& attention) {
    nodes_.push_back({candidate.token, live_[static_cast<std::size_t>(candidate.row - first_row)].node});
    if (attention.width > 0) {
        const float* weights = attention.weights + candidate.row * attention.width;
        attention_.insert(attention_.end(), weights, weights + attention.width);
    }
    return static_cast<std::int32_t>(nodes_.size()) - 1;
}

void SentenceBeam::finish(double log_prob, std::int32_t node) {
    const double score = log_prob / length_norm(length_);
    const auto place = std::upper_bound(finished_.begin(), finished_.end(), score,
                                        [](double value, const Finished& other) { return value > other.score; });
    finished_.insert(place, {score, log_prob, node});
    if (finished_.size() > static_cast<std::size_t>(options_.n_best)) {
        finished_.pop_back();
    }
}

// Whether no live prefix can change the result.
bool SentenceBeam::settled() const {
    return finished_.size() == static_cast<std::size_t>(options_.n_best) &&
           live_.front().log_prob / length_norm(max_length_ + 1) <= finished_.back().score;
}

void SentenceBeam::end() {
    for (const Finished& finished : finished_) {
        result_.push_back(trace(finished));
    }
    live_ = {};
    finished_ = {};
    nodes_ = {};
    attention_ = {};
}

Hypothesis SentenceBeam::trace(const Finished& finished) const {
    Hypothesis hypothesis;
    hypothesis.log_prob = finished.log_prob;
    hypothesis.score = finished.score;
    for (std::int32_t node = finished.node; node >= 0; node = nodes_[static_cast<std::size_t>(node)].parent) {
        if (node != finished.node) {
            hypothesis.ids.push_back(nodes_[static_cast<std::size_t>(node)].token);
        }
        if (attention_width_ > 0) {
            const auto begin = attention_.begin() + node * attention_width_;
            hypothesis.attention.emplace_back(begin, begin + attention_width_);
        }
    }
    std::reverse(hypothesis.ids.begin(), hypothesis.ids.end());
    std::reverse(hypothesis.attention.begin(), hypothesis.attention.end());
    return hypothesis;
}

double SentenceBeam::length_norm(std::int64_t length) const {
    return std::pow(static_cast<double>(length), options_.length_alpha);
}

}  // namespace softalign
