#include "train/trainer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "config/metric.h"
#include "data/batch_stream.h"
#include "platform/device.h"
#include "train/journal.h"
#include "train/run_directory.h"
#include "train/stop_signal.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

// What was to be kept of a validation and found no room.
struct UnsavedBest {
    RunState state;
    at::Tensor weights;
    bool is_first = false;
    std::map<std::string, std::string> metadata;
    std::vector<std::string> translations;
};

class Run {
public:
    Run(const Config& config, bool resume);
    TrainingResult go();

private:
    std::optional<StopReason> limit_reached() const;
    void do_update();
    bool end_of_epoch() const { return state_.position == 0; }
    bool validation_due() const;
    void validate();
    bool save();
    void save_best(UnsavedBest best);
    bool write_best();
    void start_from_state(std::int64_t keep_until);
    void warn_of(const std::vector<Batch>& batches, const UpdateSums& sums);
    void go_back();
    TrainingVectors vectors() const { return {parameters_, optimizer_, average_}; }
    void report_update(const UpdateSums& sums, std::int64_t epoch);
    double minutes() const { return earlier_minutes_ + watch_.seconds() / 60.0; }
    std::map<std::string, std::string> metadata(const ValidationResult* result) const;

    const Config& config_;
    RunDirectory directory_;
    Checkpoints checkpoints_;
    RunData data_;
    at::Device device_;
    WorkerPool pool_;
    std::shared_ptr<Seq2Seq> model_;  // reads the weights that are validated and kept
    FlatParameters parameters_;
    Optimizer optimizer_;
    at::Tensor average_;
    GradientStep step_;
    Schedule schedule_;
    std::optional<Validator> validator_;
    RunState state_;
    std::optional<Journal> journal_;
    std::unique_ptr<BatchStream> batches_;
    StopSignal signal_;
    Stopwatch watch_;
    double earlier_minutes_ = 0.0;
    std::int64_t batches_in_epoch_ = 0;
    std::int64_t saved_update_ = -1;
    std::optional<UnsavedBest> unsaved_best_;
};

std::shared_ptr<Seq2Seq> new_model(const Config& config, const VocabularySizes& sizes, const at::Device& device) {
    auto model = std::make_shared<Seq2Seq>(config.model, sizes);
    model->initialize(config.training.seed);
    model->to(device);
    return model;
}

Run::Run(const Config& config, bool resume)
    : config_(config),
      directory_(config, resume),
      checkpoints_(directory_.path(), config.checkpoints),
      data_(load_run_data(config, directory_.path())),
      device_(pick_device(config.runtime.device)),
      pool_(worker_count(config.runtime.workers, device_)),
      model_(new_model(config, data_.sizes(), device_)),
      parameters_(*model_),
      optimizer_(config.training.optimizer, parameters_.values()),
      average_(config.training.ema > 0.0 ? parameters_.values().clone() : at::Tensor()),
      step_(config, data_.sizes(), parameters_, optimizer_, average_, data_.special, pool_),
      schedule_(config.training.schedule, config.training.optimizer.learning_rate) {
    warn_of_precision(config.runtime.precision, device_);
    std::int64_t keep_until = -1;
    if (resume && checkpoints_.newest() >= 0) {
        state_ = checkpoints_.restore(vectors(), Checkpoints::Good::any);
        earlier_minutes_ = state_.minutes;
        keep_until = state_.update;
        spdlog::info("resumed after update {} (epoch {})", state_.update, state_.epoch + 1);
    }
    parameters_.attach(*model_, vectors().evaluated());
    if (data_.valid) {
        validator_.emplace(config_, data_, pool_);
    }
    start_from_state(keep_until);
    spdlog::info("model: {} parameters; {} on {} workers", model_->parameter_count(), device_.str(), pool_.size());
}

// All that goes on from a state: the records of updates after `keep_until` are dropped, all of them where it is
// negative.
void Run::start_from_state(std::int64_t keep_until) {
    schedule_.restore(state_.schedule);
    saved_update_ = keep_until;
    journal_.reset();
    journal_.emplace(config_, directory_.path(), keep_until);
    journal_->restore_window(state_);
    batches_ = std::make_unique<BatchStream>(*data_.train, plan_options(config_.training), data_.special,
                                             config_.vocabulary.sampling_alpha > 0.0, state_.epoch, state_.position,
                                             config_.runtime.prefetch);
}

std::optional<StopReason> Run::limit_reached() const {
    const TrainingConfig& training = config_.training;
    if (signal_.received() != 0) {
        return StopReason::signal;
    }
    if (training.max_epochs > 0 && state_.epoch >= training.max_epochs) {
        return StopReason::max_epochs;
    }
    if (training.max_updates > 0 && state_.update >= training.max_updates) {
        return StopReason::max_updates;
    }
    if (training.max_minutes > 0.0 && minutes() >= training.max_minutes) {
        return StopReason::max_minutes;
    }
    if (validator_ && config_.validation.patience > 0 &&
        state_.validations_without_gain >= config_.validation.patience) {
        return StopReason::patience;
    }
    return std::nullopt;
}

void Run::do_update() {
    const std::int64_t update = state_.update + 1;
    const std::int64_t epoch = state_.epoch;
    std::vector<Batch> taken;
    // An update takes `accumulate` batches, fewer at the end of an epoch.
    for (std::int64_t i = 0; i < config_.training.accumulate; ++i) {
        BatchStream::Item item = batches_->next();
        batches_in_epoch_ = item.batches_in_epoch;
        step_.accumulate(item.batch, mix_key({config_.training.seed, static_cast<std::uint64_t>(update),
                                              static_cast<std::uint64_t>(i)}));
        const bool last = item.position + 1 == item.batches_in_epoch;
        state_.epoch = last ? item.epoch + 1 : item.epoch;
        state_.position = last ? 0 : item.position + 1;
        taken.push_back(std::move(item.batch));
        if (last) {
            break;
        }
    }
    const UpdateSums sums = step_.apply(schedule_.rate(update, epoch) * state_.rate_factor, update);
    state_.update = update;
    report_update(sums, epoch);
    state_.bad_in_a_row = sums.applied ? 0 : state_.bad_in_a_row + 1;
    if (!sums.applied) {
        ++state_.bad_in_all;
        warn_of(taken, sums);
        if (state_.bad_in_a_row >= config_.training.divergence.updates) {
            go_back();
        }
    }
}

void Run::warn_of(const std::vector<Batch>& batches, const UpdateSums& sums) {
    constexpr std::size_t most_named = 10;
    std::string lines;
    std::size_t count = 0;
    for (const Batch& batch : batches) {
        for (const std::int64_t id : step_.sentences_not_finite(batch)) {
            if (count++ < most_named) {
                lines += (lines.empty() ? "" : ", ") + std::to_string(data_.train->line(id));
            }
        }
    }
    spdlog::warn("update {}: the {} is not finite; the weights were left as they are ({} such updates so far){}",
                 state_.update, std::isfinite(sums.objective) ? "gradient" : "loss", state_.bad_in_all,
                 count == 0 ? "; of no sentence pair alone"
                            : fmt::format("; of {} sentence pair{} alone, line{} {}{} of the training text", count,
                                          count == 1 ? "" : "s", count == 1 ? "" : "s", lines,
                                          count > most_named ? ", ..." : ""));
}

// After a divergence: to the last checkpoint from before it, or to the end.
void Run::go_back() {
    const DivergenceConfig& divergence = config_.training.divergence;
    const std::string what =
        "the loss or the gradient was not finite for " + std::to_string(divergence.updates) + " updates in a row";
    const bool gives_up = divergence.action == DivergenceAction::stop || state_.times_back >= divergence.times;
    if (gives_up || checkpoints_.newest() < 0) {
        throw Error(ExitCode::numerical,
                    what +
                        "; lower training.optimizer.learning_rate or training.clip_norm and go on from the last "
                        "checkpoint with --resume" +
                        (divergence.action == DivergenceAction::stop
                             ? ", or let runs go back by themselves (training.divergence.action: go_back)"
                             : ""));
    }
    const RunState diverged = state_;
    state_ = checkpoints_.restore(vectors(), Checkpoints::Good::before_divergence);
    state_.bad_in_all = diverged.bad_in_all;
    state_.times_back = diverged.times_back + 1;
    state_.rate_factor = diverged.rate_factor * divergence.rate_factor;
    start_from_state(state_.update);
    spdlog::warn("{}: back to update {}, with {:g} times the learning rate from now on", what, state_.update,
                 state_.rate_factor);
    save();  // with the lower rate, so that a run that is killed now does not try the higher one again
}

void Run::report_update(const UpdateSums& sums, std::int64_t epoch) {
    UpdateReport report;
    report.update = state_.update;
    report.epoch = epoch + 1;
    report.batches_done = end_of_epoch() ? batches_in_epoch_ : state_.position;
    report.batches_in_epoch = batches_in_epoch_;
    report.learning_rate = schedule_.rate(state_.update, epoch) * state_.rate_factor;
    report.minutes = minutes();
    report.sums = sums;
    journal_->updated(report);
}

bool Run::validation_due() const {
    if (!validator_) {
        return false;
    }
    const std::int64_t every = config_.validation.every;
    if (config_.validation.unit == IntervalUnit::epochs) {
        return end_of_epoch() && state_.epoch % every == 0;
    }
    return state_.update % every == 0;
}

std::map<std::string, std::string> Run::metadata(const ValidationResult* result) const {
    std::map<std::string, std::string> entries{{"update", std::to_string(state_.update)},
                                               {"epoch", std::to_string(state_.epoch)}};
    if (result != nullptr) {
        entries["cross_entropy"] = std::to_string(result->cross_entropy);
        for (const ValidationScore& score : result->scores) {
            const std::string key = metric_key(score.metric);
            entries[key] = std::to_string(score.score);
            entries[key + "_signature"] = score.signature;
        }
    }
    return entries;
}

void Run::validate() {
    journal_->pause();
    const ValidationResult result = validator_->run(*model_);
    const Metric metric = config_.validation.metric;
    const double value = result.value(metric);
    const bool gained = state_.best.empty() || is_better(metric, value, state_.best.front().score);
    state_.validations_without_gain = gained ? 0 : state_.validations_without_gain + 1;
    state_.last_validation = state_.update;
    if (schedule_.validated(gained)) {
        spdlog::info("learning rate reduced to {:g}", schedule_.rate(state_.update, state_.epoch));
    }
    const auto place = std::find_if(state_.best.begin(), state_.best.end(),
                                    [&](const BestCheckpoint& entry) { return is_better(metric, value, entry.score); });
    const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(config_.checkpoints.keep_best, 1));
    const bool among_best = static_cast<std::size_t>(place - state_.best.begin()) < kept;
    state_.best.insert(place, {value, state_.update});
    state_.best.resize(std::min(state_.best.size(), kept));
    journal_->validated(state_, result, gained, minutes());
    if (among_best) {
        save_best({state_, vectors().evaluated(), gained, metadata(&result), result.translations});
    }
}

// Keeps what finds no room until it does, so that a full disk costs no model.
void Run::save_best(UnsavedBest best) {
    if (!write_best() && unsaved_best_->is_first && !best.is_first) {
        return;  // the better one waits
    }
    unsaved_best_ = std::move(best);
    if (!write_best()) {
        unsaved_best_->weights = unsaved_best_->weights.clone();
    }
}

// Whether nothing is left to be written.
bool Run::write_best() {
    if (!unsaved_best_) {
        return true;
    }
    const UnsavedBest& best = *unsaved_best_;
    try {
        checkpoints_.save_best(best.state, parameters_, best.weights, best.is_first, best.metadata);
        if (best.is_first && !best.translations.empty()) {
            std::string text;
            for (const std::string& line : best.translations) {
                text += line + "\n";
            }
            write_file_atomically((fs::path(directory_.path()) / "validation.best.txt").string(), text);
        }
    } catch (const Error& error) {
        spdlog::error("{}; the model is kept in memory and written with the next save", error.what());
        return false;
    }
    unsaved_best_.reset();
    return true;
}

// Whether all was written. What was not is tried again with the next save.
bool Run::save() {
    state_.schedule = schedule_.state();
    state_.minutes = minutes();
    journal_->keep_window(state_);
    try {
        checkpoints_.save(state_, vectors());
        saved_update_ = state_.update;
    } catch (const Error& error) {
        spdlog::error("{}; training goes on, and the next save is tried after {}", error.what(),
                      config_.checkpoints.every_updates > 0
                          ? std::to_string(config_.checkpoints.every_updates) + " updates"
                          : "the next validation");
        return false;
    }
    return write_best();
}

TrainingResult Run::go() {
    std::optional<StopReason> reason = limit_reached();
    journal_->go_on();
    while (!reason) {
        do_update();
        const bool validated = validation_due();
        if (validated) {
            validate();
            journal_->go_on();
        }
        const std::int64_t every = config_.checkpoints.every_updates;
        if (validated || (every > 0 && state_.update % every == 0)) {
            save();
        }
        reason = limit_reached();
    }
    journal_->pause();
    // A run that ends between two validations gets its last word; a signal wants a quick end.
    if (*reason != StopReason::signal && validator_ && state_.last_validation != state_.update) {
        validate();
        saved_update_ = -1;
    }
    if ((saved_update_ != state_.update || unsaved_best_) && !save()) {
        throw Error(ExitCode::output,
                    "the end of the run could not be saved (the message above says why); mend that, "
                    "and go on from the last checkpoint with --resume");
    }
    if (!checkpoints_.has_model() || !validator_) {
        checkpoints_.save_model(vectors(), metadata(nullptr));
    }
    return {*reason, state_};
}

}  // namespace

std::string describe(StopReason reason, const Config& config) {
    switch (reason) {
        case StopReason::max_epochs:
            return "training.max_epochs (" + std::to_string(config.training.max_epochs) + ") reached";
        case StopReason::max_updates:
            return "training.max_updates (" + std::to_string(config.training.max_updates) + ") reached";
        case StopReason::max_minutes:
            return "training.max_minutes reached";
        case StopReason::patience:
            return "no gain in " + std::to_string(config.validation.patience) + " validations (validation.patience)";
        case StopReason::signal:
            break;
    }
    return "stopped by a signal";
}

TrainingResult train(const Config& config, bool resume) {
    return Run(config, resume).go();
}

}  // namespace softalign
