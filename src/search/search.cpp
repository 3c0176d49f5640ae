#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/rules.h"
#include "ops/top_k.h"
#include "search/phrases.h"
#include "search/sentence_beam.h"
#include "search/sentence_sampler.h"

namespace softalign {

namespace {

void require(bool condition, const char* what) {
    if (!condition) {
        throw Error(ExitCode::internal, std::string("search: ") + what);
    }
}

bool is_silent(const SearchOptions& options, std::int64_t token) {
    return std::find(options.silent.begin(), options.silent.end(), token) != options.silent.end();
}

void check_options(const SearchOptions& options) {
    const std::string fault = fault_of(options);
    require(fault.empty(), fault.c_str());
    require(options.unk != options.eos && !is_silent(options, options.eos),
            "the end of the sentence must not be forbidden");
}

bool has_text(const SearchOptions& options, std::int32_t token) {
    return token != options.eos && !is_silent(options, token);
}

void check_start(const PrefixGraph& start, const SearchOptions& options) {
    const auto nodes = static_cast<std::int32_t>(start.nodes.size());
    for (std::int32_t node = 0; node < nodes; ++node) {
        for (const PrefixGraph::Edge& edge : start.nodes[static_cast<std::size_t>(node)]) {
            require(edge.to > node && edge.to < nodes, "a start does not lead on");
            require(has_text(options, edge.token), "a start has a token without text");
        }
    }
}

void check_whole_words(const SearchTask& task, const SearchOptions& options) {
    if (task.whole_words == nullptr) {
        return;
    }
    require(task.prefix.nodes.empty(), "phrases as whole words do not go with a start");
    require(task.whole_words->begins[static_cast<std::size_t>(options.eos)], "the end does not end a word");
    for (const std::vector<std::int32_t>& first : task.phrases) {
        for (const std::vector<std::int32_t>& second : task.phrases) {
            require(task.whole_words->between(first.back(), second.front()), "phrases run into one another");
        }
    }
}

void check_task(const SearchTask& task, const SearchOptions& options) {
    require(task.max_length >= 0, "a maximum length is negative");
    require(task.min_length >= 0 && task.min_length <= task.max_length, "a minimum length is above the maximum");
    require(task.phrases.empty() || (!options.sampling && options.groups == 1),
            "phrases go neither with sampling nor with groups");
    require(task.phrases.size() <= Phrases::most, "more than 64 phrases");
    require(std::none_of(task.phrases.begin(), task.phrases.end(), [](const auto& phrase) { return phrase.empty(); }),
            "a phrase is empty");
    for (const std::vector<std::int32_t>& phrase : task.phrases) {
        require(std::all_of(phrase.begin(), phrase.end(), [&](std::int32_t token) { return has_text(options, token); }),
                "a phrase has a token without text");
    }
    require(task.no_repeat_ngram >= 0, "a length of what must not be repeated is negative");
    check_start(task.prefix, options);
    check_whole_words(task, options);
    const std::vector<std::int64_t> start = task.prefix.shortest(task.phrases.empty());
    require((start.empty() ? 0 : start.front()) + Phrases(task.phrases).tokens() <= task.max_length,
            "a maximum length leaves no room for the start and the phrases");
}

// Whatever else is asked, nobody sees these.
void forbid_silent(const SearchOptions& options, const at::Tensor& log_probs) {
    const std::vector<std::int32_t>& silent = options.silent;
    for (std::size_t begin = 0, end = 0; begin < silent.size(); begin = end) {
        for (end = begin + 1; end < silent.size() && silent[end] == silent[end - 1] + 1;) {
            ++end;  // neighbours at once
        }
        require(silent[begin] >= 0 && silent[end - 1] < log_probs.size(1),
                "a token without text is not in the vocabulary");
        log_probs.narrow(1, silent[begin], static_cast<std::int64_t>(end - begin))
            .fill_(-std::numeric_limits<float>::infinity());
    }
}

void check_step(const StepOutput& step, std::int64_t rows, const SearchOptions& options) {
    const bool fits = fits_top_k(step.log_probs, rows, options.eos) &&
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

at::Tensor on_cpu(const at::Tensor& values) {
    return values.to(at::kCPU).contiguous();
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

// Hypotheses of the groups of a sentence, as search.h says.
std::vector<Hypothesis> merged(std::vector<std::vector<Hypothesis>> groups, std::int64_t n_best) {
    if (groups.size() == 1) {
        return std::move(groups.front());
    }
    std::vector<Hypothesis> result;
    std::size_t longest = 0;
    for (const std::vector<Hypothesis>& group : groups) {
        longest = std::max(longest, group.size());
    }
    for (std::size_t rank = 0; rank < longest; ++rank) {
        std::vector<Hypothesis> of_rank;
        for (std::vector<Hypothesis>& group : groups) {
            if (rank < group.size()) {
                of_rank.push_back(std::move(group[rank]));
            }
        }
        std::stable_sort(of_rank.begin(), of_rank.end(),
                         [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
        add_missing(std::move(of_rank), n_best, result);
    }
    return result;
}

class BatchSearch {
public:
    BatchSearch(StepModel& model, const std::vector<SearchTask>& tasks, const SearchOptions& options)
        : model_(model), options_(options), sentences_(tasks.size()), tokens_(tasks.size(), options.bos) {
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i);
            for (std::int64_t group = 0; group < options_.groups; ++group) {
                if (options_.sampling) {
                    sentences_[i].push_back(std::make_unique<SentenceSampler>(options_, tasks[i], row));
                } else {
                    sentences_[i].push_back(std::make_unique<SentenceBeam>(options_, tasks[i], row));
                }
            }
            reads_rows_ = reads_rows_ || options_.sampling || !tasks[i].phrases.empty();
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
        result.reserve(sentences_.size());
        for (const Sentence& sentence : sentences_) {
            std::vector<std::vector<Hypothesis>> groups;
            for (const std::unique_ptr<SentenceSearch>& group : sentence) {
                groups.push_back(group->result());
            }
            result.push_back(merged(std::move(groups), options_.n_best));
        }
        return result;
    }

private:
    using Sentence = std::vector<std::unique_ptr<SentenceSearch>>;  // its groups

    void advance(const StepOutput& output, std::int64_t rows, std::int64_t step) {
        check_step(output, rows, options_);
        forbid_silent(options_, output.log_probs);
        StepView view;
        at::Tensor log_probs = output.log_probs;
        view.vocabulary = log_probs.size(1);
        const bool restricted = any_restricted();
        if (restricted || reads_rows_) {
            log_probs = on_cpu(log_probs);
            view.log_probs = log_probs.data_ptr<float>();
        }
        if (restricted) {
            for (const Sentence& sentence : sentences_) {
                for (const std::unique_ptr<SentenceSearch>& group : sentence) {
                    group->restrict(log_probs.data_ptr<float>(), view.vocabulary);
                }
            }
        }
        // One more than the width, for an end takes no place; with groups, one more for each token that may be taken.
        // Drawing reads the whole rows, and needs the best only for the check.
        top_k(log_probs, options_.sampling ? 1 : options_.beam + 1, options_.eos, best_);
        check_finite(best_, step);
        view.best = &best_;
        std::vector<at::Tensor> kept;
        keep(output, kept, view);
        move_on(view);
    }

    // Attention and the models' own log-probabilities, where they are asked for; `kept` holds what the view shows.
    void keep(const StepOutput& output, std::vector<at::Tensor>& kept, StepView& view) const {
        require(options_.coverage_penalty == 0.0 || output.attention.defined(),
                "a coverage penalty for a model without attention");
        if (options_.reads_attention() && output.attention.defined()) {
            kept.push_back(on_cpu(output.attention.to(at::kFloat)));
            view.attention = kept.back().data_ptr<float>();
            view.positions = kept.back().size(1);
        }
        if (options_.keep_model_log_probs) {
            for (const at::Tensor& model : output.model_log_probs) {
                kept.push_back(on_cpu(model));
                view.models.push_back(kept.back().data_ptr<float>());
            }
        }
    }

    void move_on(const StepView& view) {
        tokens_.clear();
        parents_.clear();
        for (const Sentence& sentence : sentences_) {
            std::vector<std::int32_t> chosen;
            for (const std::unique_ptr<SentenceSearch>& group : sentence) {
                if (group->live_count() > 0) {
                    group->advance(view, chosen);
                }
            }
            for (const std::unique_ptr<SentenceSearch>& group : sentence) {
                for (std::int64_t i = 0; i < group->live_count(); ++i) {
                    LivePrefix& prefix = group->live(i);
                    prefix.row = static_cast<std::int64_t>(tokens_.size());
                    tokens_.push_back(prefix.token);
                    parents_.push_back(prefix.parent);
                }
            }
        }
    }

    bool any_restricted() const {
        for (const Sentence& sentence : sentences_) {
            for (const std::unique_ptr<SentenceSearch>& group : sentence) {
                if (group->live_count() > 0 && group->restricted()) {
                    return true;
                }
            }
        }
        return false;
    }

    StepModel& model_;
    const SearchOptions& options_;
    std::vector<Sentence> sentences_;
    std::vector<std::int64_t> tokens_;   // the last token of each row
    std::vector<std::int64_t> parents_;  // the row of the step before that each row comes from
    bool reads_rows_ = false;            // whether a search reads whole rows of log-probabilities
    TopK best_;
};

// The tokens that every task forbids: those are hidden where the log-probabilities are, without a look at each row.
std::vector<std::int32_t> forbidden_by_all(const std::vector<SearchTask>& tasks) {
    std::vector<std::int32_t> tokens = tasks.empty() ? std::vector<std::int32_t>() : tasks.front().forbidden;
    for (const SearchTask& task : tasks) {
        const auto is_allowed = [&task](std::int32_t token) {
            return std::find(task.forbidden.begin(), task.forbidden.end(), token) == task.forbidden.end();
        };
        tokens.erase(std::remove_if(tokens.begin(), tokens.end(), is_allowed), tokens.end());
    }
    return tokens;
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(StepModel& model, const std::vector<SearchTask>& tasks,
                                            const SearchOptions& options) {
    check_options(options);
    for (const SearchTask& task : tasks) {
        check_task(task, options);
    }
    SearchOptions shared = options;
    const std::vector<std::int32_t> forbidden = forbidden_by_all(tasks);
    shared.silent.insert(shared.silent.end(), forbidden.begin(), forbidden.end());
    return BatchSearch(model, tasks, shared).run();
}

}  // namespace softalign
