#include "train/trainer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/stopwatch.h"
#include "data/batch_stream.h"
#include "distributed/group.h"
#include "distributed/launch_environment.h"
#include "platform/device.h"
#include "platform/memory.h"
#include "platform/processor.h"
#include "platform/worker_pool.h"
#include "train/best_models.h"
#include "train/checkpoints.h"
#include "train/divergence.h"
#include "train/first_weights.h"
#include "train/flat_parameters.h"
#include "train/journal.h"
#include "train/learner.h"
#include "train/mean_of_models.h"
#include "train/resolve.h"
#include "train/run_data.h"
#include "train/run_directory.h"
#include "train/run_settings.h"
#include "train/run_state.h"
#include "train/shared_run.h"
#include "train/stop.h"
#include "train/validator.h"

namespace softalign {

namespace {

class Run {
public:
    Run(const Config& config, bool resume, Group& group);
    TrainingResult go();

private:
    VocabularyFiles vocabularies();
    std::string scratch_folder() const;
    std::optional<StopReason> reason_to_stop();
    bool do_update();
    bool end_of_epoch() const { return state_.position == 0; }
    bool validation_due() const;
    bool save_due() const;
    void validate();
    bool save(bool on_signal = false);
    void resume_from_checkpoint();
    void start_from_state();
    void pause();
    void go_on();
    bool first_says(bool answer) { return group_.broadcast(answer ? "yes" : "") == "yes"; }
    void go_back();
    void report_update(const UpdateSums& sums, std::int64_t epoch);
    double minutes() const { return earlier_minutes_ + watch_.seconds() / 60.0; }

    const Config& config_;
    Group& group_;
    std::unique_ptr<RunDirectory> directory_;  // of rank 0, which alone reads and writes it
    Checkpoints checkpoints_;
    at::Device device_;
    WorkerPool pool_;
    RunData data_;
    RunSettings settings_;
    std::shared_ptr<Seq2Seq> model_;  // reads the weights that are validated and kept
    TrainingVectors vectors_;
    BestModels best_;
    MeanOfModels mean_;
    Learner learner_;
    std::optional<Validator> validator_;
    RunState state_;
    std::optional<Journal> journal_;  // of rank 0
    std::unique_ptr<BatchStream> batches_;
    StopSignal signal_;
    Stopwatch watch_;
    double earlier_minutes_ = 0.0;
    std::int64_t batches_in_epoch_ = 0;
    std::int64_t saved_update_ = -1;
};

std::shared_ptr<Seq2Seq> new_model(const Config& config, const VocabularySizes& sizes, const at::Device& device) {
    auto model = std::make_shared<Seq2Seq>(config.model, sizes);
    model->initialize(config.training.seed);
    model->to(device);
    return model;
}

Run::Run(const Config& config, bool resume, Group& group)
    : config_(config),
      group_(group),
      directory_(group.is_first() ? std::make_unique<RunDirectory>(config, resume) : nullptr),
      checkpoints_(config.checkpoints.directory, config.checkpoints),
      device_(pick_device(config.runtime.device, group.local_rank())),
      pool_(workers_of_process(group, config, device_), group.share_of_processors()),
      data_(load_run_data(config, vocabularies(), scratch_folder(), &pool_)),
      settings_(settings_of(config, data_)),
      model_(new_model(config, data_.sizes(), device_)),
      vectors_(config.training, *model_),
      best_(checkpoints_, vectors_.parameters, config.checkpoints.directory),
      mean_(config, checkpoints_, vectors_.parameters),
      learner_(config, data_, vectors_, pool_, group) {
    require_same_settings(group_, settings_);
    const bool goes_on = first_says(directory_ && directory_->newest() >= 0);
    if (goes_on) {
        if (directory_) {
            resume_from_checkpoint();
        }
        share_run(group_, state_, vectors_);
        learner_.scatter_state();
        saved_update_ = state_.update;
    } else if (has_given_weights(config)) {
        if (directory_) {
            take_given_weights(config, data_.tokenizers, vectors_);
        }
        share_run(group_, state_, vectors_);
    }
    vectors_.parameters.attach(*model_, vectors_.evaluated());
    if (data_.valid) {
        validator_.emplace(config_, data_, pool_, group_);
    }
    if (!goes_on) {
        learner_.gather_state();
        saved_update_ = state_.update;
    }
    if (directory_) {  // nothing is written before this
        directory_->begin(config_, data_.vocabularies, Checkpoints::contents(state_, vectors_, settings_));
        journal_.emplace(config_, directory_->path());
    }
    start_from_state();
    spdlog::info("model: {} parameters; {}, {}, {}, {}", model_->parameter_count(), device_.str(),
                 counted(pool_.size(), "worker"), counted(config.training.shards, "shard"),
                 name_of(pick_precision(config.runtime.precision, device_)));
    if (const std::string& frozen = learner_.step().frozen().description(); !frozen.empty()) {
        spdlog::info("frozen: {}", frozen);
    }
    const std::string advice = advice_on_idle_workers(config.training, worker_count(config.runtime.workers, device_));
    if (group_.is_alone() && !advice.empty()) {
        spdlog::warn("{}", advice);
    }
}

VocabularyFiles Run::vocabularies() {
    return share_vocabularies(group_, directory_ ? directory_->vocabularies(config_) : VocabularyFiles());
}

// For files that vanish with the process. The directory of the run need not be there on other machines.
std::string Run::scratch_folder() const {
    std::error_code absent;
    return directory_ || std::filesystem::is_directory(config_.checkpoints.directory, absent)
               ? config_.checkpoints.directory
               : std::filesystem::temp_directory_path().string();
}

void Run::resume_from_checkpoint() {
    if (const auto newest = checkpoints_.settings(directory_->newest())) {
        require_resumable(changes_between(*newest, settings_), directory_->path());
    }
    state_ = checkpoints_.restore(vectors_, Checkpoints::any_update);
    earlier_minutes_ = state_.minutes;
    spdlog::info("resumed after update {} (epoch {})", state_.update, state_.last_epoch());
    if (const auto before = checkpoints_.settings(state_.update)) {
        const std::vector<SettingChange> changes = changes_between(*before, settings_);
        require_resumable(changes, directory_->path());
        accept_changes(changes, data_.valid != nullptr, state_);
    } else {
        spdlog::warn("the checkpoint does not say what the run was started with; the settings are taken as they are");
    }
}

// All that goes on from a state.
void Run::start_from_state() {
    learner_.schedule().restore(state_.schedule);
    if (directory_) {
        mean_.go_on_from(state_.update);
    }
    if (journal_) {
        journal_->start(state_);
    }
    batches_ = std::make_unique<BatchStream>(*data_.train, plan_options(config_), data_.special,
                                             config_.vocabulary.sampling_alpha > 0.0, state_.epoch, state_.position,
                                             config_.runtime.prefetch);
}

void Run::pause() {
    if (journal_) {
        journal_->pause();
    }
}

void Run::go_on() {
    if (journal_) {
        journal_->go_on();
    }
}

// The same for all processes.
std::optional<StopReason> Run::reason_to_stop() {
    const Clock clock = agree_on_clock(group_, {signal_.received() != 0, minutes()});
    return clock.signal ? StopReason::signal : limit_reached(config_, state_, clock.minutes);
}

// False where the run has diverged.
bool Run::do_update() {
    const std::int64_t update = state_.update + 1;
    const std::int64_t epoch = state_.epoch;
    const std::vector<BatchStream::Item> taken =
        take_batches(config_.training.accumulate, [this] { return batches_->next(); });
    const BatchStream::Item& last = taken.back();
    batches_in_epoch_ = last.batches_in_epoch;
    state_.epoch = last.ends_epoch() ? last.epoch + 1 : last.epoch;
    state_.position = last.ends_epoch() ? 0 : last.position + 1;
    const UpdateSums sums = learner_.update(taken, update, state_.applied + 1);
    state_.update = update;
    if (journal_) {
        report_update(sums, epoch);
    }
    if (sums.applied) {
        ++state_.applied;
        state_.bad_in_a_row = 0;
    } else {
        ++state_.bad_in_a_row;
        ++state_.bad_in_all;
        if (journal_) {
            spdlog::warn(
                "update {}: the {} is not finite; the weights were left as they are ({} such updates so far){}", update,
                std::isfinite(sums.objective) ? "gradient" : "loss", state_.bad_in_all,
                bad_sentences(learner_.step(), taken, *data_.train));
        }
    }
    return !has_diverged(config_.training.divergence, state_, sums);
}

// After a divergence: to the last checkpoint from before it, or to the end. That is one of earlier weights than those
// of now, from which each of the last updates would be the same again.
void Run::go_back() {
    const DivergenceConfig& divergence = config_.training.divergence;
    const RunState diverged = state_;
    const bool goes_back = divergence.action == DivergenceAction::go_back && diverged.times_back < divergence.times;
    const bool can_go_on = first_says(directory_ && checkpoints_.remove_from(diverged.last_applied(), goes_back));
    if (!can_go_on || !goes_back) {
        throw Error(ExitCode::numerical, describe(diverged) + "; " + advice(config_.training, can_go_on));
    }
    if (directory_) {
        state_ = checkpoints_.restore(vectors_, diverged.last_applied());
    }
    share_run(group_, state_, vectors_);
    learner_.scatter_state();
    state_.best = diverged.best;  // they are no worse for what came after
    state_.bad_in_all = diverged.bad_in_all;
    state_.times_back = diverged.times_back + 1;
    state_.schedule.rate_factor = diverged.schedule.rate_factor * divergence.rate_factor;
    start_from_state();
    saved_update_ = -1;  // a save of this update, if there is one, has the higher rate
    spdlog::warn("{}: back to update {}, with {:g} times the learning rate from now on", describe(diverged),
                 state_.update, state_.schedule.rate_factor);
    save();  // with the lower rate, so that a run that is killed now does not try the higher one again
}

void Run::report_update(const UpdateSums& sums, std::int64_t epoch) {
    UpdateReport report;
    report.update = state_.update;
    report.epoch = state_.last_epoch();
    report.batches_done = end_of_epoch() ? batches_in_epoch_ : state_.position;
    report.batches_in_epoch = batches_in_epoch_;
    report.learning_rate = learner_.schedule().rate(state_.update, epoch);
    report.minutes = minutes();
    report.busy_seconds = learner_.step().seconds().busy(pool_.size());
    report.sums = sums;
    journal_->updated(report);
}

bool Run::validation_due() const {
    if (!validator_) {
        return false;
    }
    const std::int64_t every = config_.validation.every;
    if (config_.validation.unit == IntervalUnit::epochs) {
        return end_of_epoch() && state_.epoch % every == 0 &&
               state_.update - state_.last_validation >= config_.validation.min_updates;
    }
    return state_.update % every == 0;
}

bool Run::save_due() const {
    const std::int64_t every = config_.checkpoints.every_updates;
    return every > 0 && state_.update % every == 0;
}

void Run::validate() {
    pause();
    learner_.share_average();
    const ValidationResult result = validator_->run(*model_);
    const Metric metric = config_.validation.metric;
    const double value = result.value(metric);
    const bool gained = is_better(metric, value, state_.best.empty() ? std::nan("") : state_.best.front().score);
    state_.validations_without_gain = gained ? 0 : state_.validations_without_gain + 1;
    state_.last_validation = state_.update;
    state_.validation_owed = false;
    if (learner_.schedule().validated(gained)) {
        spdlog::info("learning rate reduced to {:g}", learner_.schedule().rate(state_.update + 1, state_.epoch));
    }
    const bool among_best = add_to_best(state_.best, metric, {value, state_.update},
                                        std::max<std::int64_t>(config_.checkpoints.keep_best, 1));
    if (!directory_) {
        return;
    }
    journal_->validated(state_, result, gained, minutes());
    mean_.keep(state_.update, vectors_.evaluated(), model_metadata(state_, &result));
    if (among_best) {
        best_.keep({state_.update, vectors_.evaluated(), model_metadata(state_, &result), result.translations},
                   state_.best);
    }
}

// Whether all was written. What was not is tried again with the next save. The records and the best models that a
// checkpoint knows of are on the disk before it is.
bool Run::save(bool on_signal) {
    state_.on_signal = on_signal;
    state_.save_owed = state_.save_owed && on_signal;
    state_.schedule = learner_.schedule().state();
    state_.minutes = minutes();
    learner_.gather_state();
    if (!directory_) {
        saved_update_ = state_.update;
        return true;
    }
    state_.window = journal_->window();
    journal_->sync();
    const bool models_written = best_.write();
    if (!mean_.write() || !models_written) {
        return false;
    }
    try {
        checkpoints_.save(state_, vectors_, settings_);
        if (!state_.best.empty()) {  // after a change of the metric, the earlier ones stay until a validation
            checkpoints_.remove_best_but(state_.best);
        }
    } catch (const std::exception& error) {
        spdlog::error("{}; training goes on, and the next save is tried after {}", error.what(),
                      config_.checkpoints.every_updates > 0
                          ? std::to_string(config_.checkpoints.every_updates) + " updates"
                          : "the next validation");
        return false;
    }
    saved_update_ = state_.update;
    return true;
}

TrainingResult Run::go() {
    std::optional<StopReason> reason = reason_to_stop();
    go_on();
    for (; !reason; reason = reason_to_stop()) {
        if (!do_update()) {
            go_back();
            continue;
        }
        state_.validation_owed = state_.validation_owed || validation_due();
        state_.save_owed = state_.save_owed || save_due();
        if (state_.bad_in_a_row > 0) {
            continue;  // the weights may be ruined: what is due waits until an update is finite again
        }
        if (state_.validation_owed) {
            validate();
            go_on();
            state_.save_owed = true;
        }
        if (state_.save_owed) {
            save();
        }
    }
    pause();
    // A run that ends between two validations gets its last word; a signal wants a quick end.
    if (*reason != StopReason::signal && validator_ && state_.last_validation < state_.last_applied()) {
        validate();
        saved_update_ = -1;
    }
    if (first_says(saved_update_ != state_.update || best_.waits() || mean_.waits()) &&
        !save(*reason == StopReason::signal)) {
        throw Error(ExitCode::output,
                    "the end of the run could not be saved (the message above says why); fix that, then continue "
                    "from the last checkpoint with --resume");
    }
    // Without validation the last weights are the model, but for those that a validation came after.
    if (directory_ && (!checkpoints_.has_model() || (!validator_ && state_.last_validation < state_.last_applied()))) {
        checkpoints_.save_model(vectors_, model_metadata(state_, nullptr));
    }
    if (directory_ && !state_.best.empty()) {
        checkpoints_.remove_best_but(state_.best);  // a run killed right after its last save has left one too many
    }
    if (*reason != StopReason::signal && validator_ && config_.checkpoints.average > 0) {
        mean_.try_it(state_, *model_, *validator_, group_);
        vectors_.parameters.attach(*model_, vectors_.evaluated());
    }
    if (!group_.is_alone()) {
        spdlog::info("{} processes; the first one sent {:.1f} MiB to others", group_.size(),
                     mebibytes(static_cast<std::uint64_t>(group_.bytes_sent())));
    }
    return {*reason, state_};
}

}  // namespace

TrainingResult train(const Config& config, bool resume) {
    Group group(launch_environment(), config.runtime.distributed);
    TrainingResult result;
    group.run([&] {
        const Config resolved = resolve_together(group, config, resume);
        require_shareable(resolved, group);
        result = Run(resolved, resume, group).go();
        result.is_first = group.is_first();
    });
    return result;
}

}  // namespace softalign
