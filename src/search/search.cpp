#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "search/sentence_beam.h"
#include "search/top_k.h"

namespace softalign {

namespace {

void check_options(const SearchOptions& options, const std::vector<std::int64_t>& max_lengths) {
    const auto require = [](bool condition, const char* what) {
        if (!condition) {
            throw Error(ExitCode::internal, std::string("search: ") + what);
        }
    };
    require(options.beam >= 1, "beam is less than 1");
    require(options.n_best >= 1 && options.n_best <= options.beam, "n_best is not between 1 and beam");
    require(options.length_alpha >= 0.0 && std::isfinite(options.length_alpha), "length_alpha is negative");
    require(options.unk != options.eos, "the end of the sentence must not be forbidden");
    require(std::all_of(max_lengths.begin(), max_lengths.end(), [](std::int64_t length) { return length >= 0; }),
            "a maximum length is negative");
}

void check_step(const StepOutput& step, std::int64_t rows, const SearchOptions& options) {
    const at::Tensor& log_probs = step.log_probs;
    const bool fits = log_probs.dim() == 2 && log_probs.size(0) == rows && log_probs.scalar_type() == at::kFloat &&
                      options.eos >= 0 && options.eos < log_probs.size(1) &&
                      (!step.attention.defined() || (step.attention.dim() == 2 && step.attention.size(0) == rows));
    if (!fits) {
        throw Error(ExitCode::internal, "search: a step of the model has the wrong shape or type");
    }
}

void check_finite(const TopK& best, std::int64_t step) {
    for (std::int64_t row = 0; row < best.rows; ++row) {
        if (!(best.value(row, 0) < std::numeric_limits<float>::infinity())) {
            throw Error(ExitCode::numerical,
                        "the model gives probabilities that are not numbers (at output position " +
                            std::to_string(step + 1) +
                            "): its weights are damaged or its training diverged; try an earlier checkpoint");
        }
    }
}

// A view of `values`, which must outlive it.
at::Tensor as_tensor(std::vector<std::int64_t>& values) {
    return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kLong);
}

bool is_identity(const std::vector<std::int64_t>& rows, std::int64_t old_rows) {
    if (static_cast<std::int64_t>(rows.size()) != old_rows) {
        return false;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] != static_cast<std::int64_t>(i)) {
            return false;
        }
    }
    return true;
}

class BatchSearch {
public:
    BatchSearch(StepModel& model, const std::vector<std::int64_t>& max_lengths, const SearchOptions& options)
        : model_(model), options_(options), tokens_(max_lengths.size(), options.bos) {
        beams_.reserve(max_lengths.size());
        for (const std::int64_t max_length : max_lengths) {
            beams_.emplace_back(options_, max_length);
        }
    }

    std::vector<std::vector<Hypothesis>> run() {
        for (std::int64_t step = 0; !tokens_.empty(); ++step) {
            const auto rows = static_cast<std::int64_t>(tokens_.size());
            advance(model_.step(as_tensor(tokens_).clone()), rows, step);
            if (!parents_.empty() && !is_identity(parents_, rows)) {
                model_.select(as_tensor(parents_).clone());
            }
        }
        std::vector<std::vector<Hypothesis>> result;
        result.reserve(beams_.size());
        for (SentenceBeam& beam : beams_) {
            result.push_back(std::move(beam.result()));
        }
        return result;
    }

private:
    void advance(const StepOutput& output, std::int64_t rows, std::int64_t step) {
        check_step(output, rows, options_);
        // The forbidden token may be among the best, and then `beam` others are wanted too.
        top_k(output.log_probs, options_.beam + (options_.unk >= 0 ? 1 : 0), options_.eos, best_);
        check_finite(best_, step);
        at::Tensor weights;
        StepAttention attention;
        if (options_.keep_attention && output.attention.defined()) {
            weights = output.attention.to(at::kCPU, at::kFloat).contiguous();
            attention = {weights.data_ptr<float>(), weights.size(1)};
        }
        tokens_.clear();
        parents_.clear();
        std::int64_t row = 0;
        for (SentenceBeam& beam : beams_) {
            const auto live = static_cast<std::int64_t>(beam.live().size());
            if (live == 0) {
                continue;
            }
            beam.advance(best_, row, attention);
            row += live;
            for (const SentenceBeam::Live& prefix : beam.live()) {
                tokens_.push_back(prefix.token);
                parents_.push_back(prefix.row);
            }
        }
    }

    StepModel& model_;
    const SearchOptions& options_;
    std::vector<SentenceBeam> beams_;
    std::vector<std::int64_t> tokens_;   // the last token of each row
    std::vector<std::int64_t> parents_;  // the row of the step before that each row comes from
    TopK best_;
};

}  // namespace

std::vector<std::vector<Hypothesis>> search(StepModel& model, const std::vector<std::int64_t>& max_lengths,
                                            const SearchOptions& options) {
    check_options(options, max_lengths);
    return BatchSearch(model, max_lengths, options).run();
}

}  // namespace softalign
