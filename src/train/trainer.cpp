#include "train/trainer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/random.h"
#include "config/load.h"
#include "config/metric.h"
#include "data/batch_stream.h"
#include "platform/device.h"
#include "report/log.h"
#include "text/line_reader.h"
#include "train/journal.h"
#include "train/stop_signal.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Updates in a row whose gradient may be infinite or not a number before the run is given up.
constexpr std::int64_t max_bad_updates = 20;

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
    void save();
    void report_update(const UpdateSums& sums, std::int64_t epoch);
    double minutes() const { return earlier_minutes_ + seconds_since(start_) / 60.0; }
    std::map<std::string, std::string> metadata(const ValidationResult* result) const;

    const Config& config_;
    std::string directory_;
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
    Clock::time_point start_ = Clock::now();
    double earlier_minutes_ = 0.0;
    std::int64_t batches_in_epoch_ = 0;
    std::int64_t bad_updates_ = 0;
    std::int64_t saved_update_ = -1;
};

// A missing or unreadable file shows before the model directory is made.
void require_texts(const DataConfig& data) {
    std::vector<std::string> paths = data.train_source;
    paths.insert(paths.end(), data.train_target.begin(), data.train_target.end());
    if (!data.valid_source.empty()) {
        paths.insert(paths.end(), {data.valid_source, data.valid_target});
    }
    for (const std::string& path : paths) {
        const LineReader opened(path);
    }
}

std::string open_directory(const Config& config, bool resume) {
    require_texts(config.data);
    const std::string& directory = config.checkpoints.directory;
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) {
        throw Error(ExitCode::output, directory + ": the model directory cannot be made (" + error.message() +
                                          "); set checkpoints.directory to a place you can write to");
    }
    const Checkpoints existing(directory, config.checkpoints);
    const std::int64_t newest = existing.newest();
    if (!resume && (newest >= 0 || existing.has_model())) {
        throw Error(ExitCode::configuration,
                    directory + ": this directory holds a run already" +
                        (newest >= 0 ? " (" + std::to_string(newest) + " updates)" : "") +
                        "; go on with --resume, or choose another checkpoints.directory, or remove it first");
    }
    set_up_logging(config.runtime.log_level, (fs::path(directory) / "train.log").string());
    if (resume && newest < 0) {
        spdlog::info("{} holds no checkpoint yet: training starts from the beginning", directory);
    }
    write_file_atomically(config_path(directory), to_yaml(config));
    make_vocabularies(config, directory);
    return directory;
}

std::shared_ptr<Seq2Seq> new_model(const Config& config, const VocabularySizes& sizes, const at::Device& device) {
    auto model = std::make_shared<Seq2Seq>(config.model, sizes);
    model->initialize(config.training.seed);
    model->to(device);
    return model;
}

Run::Run(const Config& config, bool resume)
    : config_(config),
      directory_(open_directory(config, resume)),
      checkpoints_(directory_, config.checkpoints),
      data_(load_run_data(config, directory_)),
      device_(pick_device(config.runtime.device)),
      pool_(worker_count(config.runtime.workers, device_)),
      model_(new_model(config, data_.sizes(), device_)),
      parameters_(*model_),
      optimizer_(config.training.optimizer, parameters_.values()),
      average_(config.training.ema > 0.0 ? parameters_.values().clone() : at::Tensor()),
      step_(config, data_.sizes(), parameters_, optimizer_, average_, data_.special, pool_),
      schedule_(config.training.schedule, config.training.optimizer.learning_rate) {
    const TrainingVectors vectors{parameters_, optimizer_, average_};
    std::int64_t keep_until = -1;
    if (resume && checkpoints_.newest() >= 0) {
        state_ = checkpoints_.restore(vectors);
        schedule_.restore(state_.schedule);
        earlier_minutes_ = state_.minutes;
        keep_until = state_.update;
        saved_update_ = state_.update;
        spdlog::info("resumed after update {} (epoch {})", state_.update, state_.epoch + 1);
    }
    parameters_.attach(*model_, vectors.evaluated());
    journal_.emplace(config_, directory_, keep_until);
    if (data_.valid) {
        validator_.emplace(config_, data_, pool_);
    }
    batches_ = std::make_unique<BatchStream>(*data_.train, plan_options(config.training), data_.special,
                                             config.vocabulary.sampling_alpha > 0.0, state_.epoch, state_.position,
                                             config.runtime.prefetch);
    spdlog::info("model: {} parameters; {} on {} workers", model_->parameter_count(), device_.str(), pool_.size());
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
    // An update takes `accumulate` batches, fewer at the end of an epoch.
    for (std::int64_t i = 0; i < config_.training.accumulate; ++i) {
        const BatchStream::Item item = batches_->next();
        batches_in_epoch_ = item.batches_in_epoch;
        step_.accumulate(item.batch, mix_key({config_.training.seed, static_cast<std::uint64_t>(update),
                                              static_cast<std::uint64_t>(i)}));
        const bool last = item.position + 1 == item.batches_in_epoch;
        state_.epoch = last ? item.epoch + 1 : item.epoch;
        state_.position = last ? 0 : item.position + 1;
        if (last) {
            break;
        }
    }
    const UpdateSums sums = step_.apply(schedule_.rate(update, epoch), update);
    state_.update = update;
    report_update(sums, epoch);
    if (sums.applied) {
        bad_updates_ = 0;
        return;
    }
    spdlog::warn("update {}: the gradient is not finite; the weights were left as they are", update);
    if (++bad_updates_ >= max_bad_updates) {
        throw Error(ExitCode::numerical,
                    "the gradient was not finite for " + std::to_string(max_bad_updates) +
                        " updates in a row; lower training.optimizer.learning_rate or training.clip_norm and go on "
                        "from the last checkpoint with --resume");
    }
}

void Run::report_update(const UpdateSums& sums, std::int64_t epoch) {
    UpdateReport report;
    report.update = state_.update;
    report.epoch = epoch + 1;
    report.batches_done = end_of_epoch() ? batches_in_epoch_ : state_.position;
    report.batches_in_epoch = batches_in_epoch_;
    report.learning_rate = schedule_.rate(state_.update, epoch);
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
        checkpoints_.save_best(state_, {parameters_, optimizer_, average_}, gained, metadata(&result));
    }
    if (gained && !result.translations.empty()) {
        std::string text;
        for (const std::string& line : result.translations) {
            text += line + "\n";
        }
        write_file_atomically((fs::path(directory_) / "validation.best.txt").string(), text);
    }
}

void Run::save() {
    state_.schedule = schedule_.state();
    state_.minutes = minutes();
    checkpoints_.save(state_, {parameters_, optimizer_, average_});
    saved_update_ = state_.update;
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
    if (saved_update_ != state_.update) {
        save();
    }
    if (!checkpoints_.has_model() || !validator_) {
        checkpoints_.save_model({parameters_, optimizer_, average_}, metadata(nullptr));
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
