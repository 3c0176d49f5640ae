#include "train/journal.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "config/load.h"
#include "config/metric.h"
#include "platform/processor.h"
#include "train/scheduled_sampling.h"

namespace softalign {

namespace fs = std::filesystem;

Journal::Journal(const Config& config, std::string directory)
    : config_(config),
      directory_(std::move(directory)),
      metrics_((fs::path(directory_) / "metrics.jsonl").string()),
      progress_(config.runtime.log_every) {}

void Journal::start(const RunState& state) {
    metrics_.keep({state.update, state.last_validation});
    window_ = state.window;
    if (events_) {
        events_->start(state.update + 1);
    } else if (config_.report.tensorboard) {
        events_ = std::make_unique<EventFile>(directory_, state.update + 1);
        events_->text("config", state.update, "```\n" + to_yaml(config_) + "```\n");
    }
    go_on();
}

void Journal::go_on() {
    watch_.lap();
    timed_updates_ = 0;
    timed_tokens_ = 0;
    busy_before_ = busy_now_;
}

double Journal::seconds() const {
    return std::max(watch_.seconds(), 1e-9);
}

double Journal::a_token(double sum) const {
    return window_.tokens > 0 ? sum / static_cast<double>(window_.tokens) : 0.0;
}

double Journal::speed() const {
    return static_cast<double>(timed_tokens_) / seconds();
}

// The share of the time that the workers computed. The rest they waited for each other or for batches.
double Journal::busy() const {
    return std::min((busy_now_ - busy_before_) / seconds(), 1.0);
}

void Journal::updated(const UpdateReport& report) {
    busy_now_ = report.busy_seconds;
    ++timed_updates_;
    timed_tokens_ += report.sums.tokens;
    if (report.sums.applied) {
        window_.objective += report.sums.objective;
        window_.alignment += report.sums.alignment;
        window_.risk += report.sums.risk;
        window_.sentences += report.sums.sentences;
        window_.tokens += report.sums.tokens;
    }
    warn_of_memory(report);
    show(report);
    if (report.update % config_.runtime.log_every == 0 || report.batches_done == report.batches_in_epoch) {
        write_window(report);
    }
}

// The first such update, the second, the fourth and so on: a run that is always short does not fill its log with it.
void Journal::warn_of_memory(const UpdateReport& report) {
    if (report.sums.computed_again == 0) {
        return;
    }
    ++short_of_memory_;
    if ((short_of_memory_ & (short_of_memory_ - 1)) == 0) {
        spdlog::warn(
            "update {}: memory ran out; {} of its parts {} computed again one after another{}, {} such updates so far; "
            "a smaller training.batch_size, or training.batch_unit: tokens, or fewer workers would be faster",
            report.update, report.sums.computed_again, report.sums.computed_again == 1 ? "was" : "were",
            report.sums.cut_into > 1 ? fmt::format(" and cut into {}", report.sums.cut_into) : "", short_of_memory_);
    }
}

// To the nearest limit of the configuration, or to the end of the epoch where there is none.
double Journal::eta(const UpdateReport& report) const {
    const TrainingConfig& training = config_.training;
    const double per_update = seconds() / static_cast<double>(timed_updates_);
    const double per_epoch =
        per_update * static_cast<double>(report.batches_in_epoch) / static_cast<double>(training.accumulate);
    const double epochs_done = static_cast<double>(report.epoch - 1) +
                               static_cast<double>(report.batches_done) / static_cast<double>(report.batches_in_epoch);
    constexpr double never = 1e18;
    double left = never;
    if (training.max_epochs > 0) {
        left = per_epoch * (static_cast<double>(training.max_epochs) - epochs_done);
    }
    if (training.max_updates > 0) {
        left = std::min(left, per_update * static_cast<double>(training.max_updates - report.update));
    }
    if (training.max_minutes > 0.0) {
        left = std::min(left, (training.max_minutes - report.minutes) * 60.0);
    }
    if (left == never) {
        left = per_epoch * (static_cast<double>(report.epoch) - epochs_done);
    }
    return std::max(left, 0.0);
}

void Journal::show(const UpdateReport& report) {
    ProgressState shown;
    shown.epoch = report.epoch;
    shown.max_epochs = config_.training.max_epochs;
    shown.update = report.update;
    shown.max_updates = config_.training.max_updates;
    shown.position = report.batches_done;
    shown.batches_in_epoch = report.batches_in_epoch;
    shown.loss = a_token(window_.objective);
    shown.tokens_per_second = speed();
    shown.busy = busy();
    shown.learning_rate = report.learning_rate;
    shown.eta_seconds = eta(report);
    progress_.show(shown);
}

void Journal::write_window(const UpdateReport& report) {
    nlohmann::ordered_json record{
        {"type", "train"}, {"update", report.update}, {"epoch", report.epoch}, {"loss", a_token(window_.objective)}};
    if (!config_.data.alignments.empty()) {
        record["alignment_loss"] = a_token(window_.alignment);
    }
    if (config_.training.minimum_risk.samples > 0) {
        record["risk"] = window_.risk / static_cast<double>(std::max<std::int64_t>(window_.sentences, 1));
    }
    const ScheduledSamplingConfig& sampling = config_.training.scheduled_sampling;
    if (sampling.decay != SamplingDecay::none) {
        record["true_words"] = true_word_probability(sampling, report.update);
    }
    record["learning_rate"] = report.learning_rate;
    record["gradient_norm"] = report.sums.gradient_norm;
    record["tokens"] = window_.tokens;
    record["tokens_per_second"] = speed();
    record["busy"] = busy();
    record["minutes"] = report.minutes;
    metrics_.write(record);
    write_events(record, report.update);
    go_on();
    window_ = Window();
}

// The curves that a record is a point of.
void Journal::write_events(const nlohmann::ordered_json& record, std::int64_t update) {
    if (!events_) {
        return;
    }
    const std::pair<const char*, const char*> curves[] = {{"loss", "loss/train"},
                                                          {"alignment_loss", "loss/alignment"},
                                                          {"risk", "loss/risk"},
                                                          {"cross_entropy", "loss/validation"},
                                                          {"perplexity", "validation/perplexity"},
                                                          {"bleu", "validation/bleu"},
                                                          {"chrf", "validation/chrf"},
                                                          {"chrf++", "validation/chrf++"},
                                                          {"ter", "validation/ter"},
                                                          {"cer", "validation/cer"},
                                                          {"wer", "validation/wer"},
                                                          {"true_words", "training/true_words"},
                                                          {"learning_rate", "training/learning_rate"},
                                                          {"gradient_norm", "training/gradient_norm"},
                                                          {"tokens_per_second", "training/tokens_per_second"},
                                                          {"busy", "training/busy"}};
    for (const auto& [name, tag] : curves) {
        if (record.contains(name)) {
            events_->scalar(tag, update, record[name].get<double>());
        }
    }
}

void Journal::validated(const RunState& state, const ValidationResult& result, bool gained, double minutes) {
    nlohmann::ordered_json record{{"type", "validation"},
                                  {"update", state.update},
                                  {"epoch", state.last_epoch()},
                                  {"cross_entropy", result.cross_entropy},
                                  {"perplexity", result.perplexity}};
    std::string shown;
    for (const ValidationScore& score : result.scores) {
        const std::string key = metric_key(score.metric);
        record[key] = score.score;
        record[key + "_signature"] = score.signature;
        if (score.metric == Metric::bleu || score.metric == config_.validation.metric) {
            shown += fmt::format(", {} {:.2f}", metric_name(score.metric), score.score);
        }
    }
    record["best"] = gained;
    record["seconds"] = result.seconds;
    record["minutes"] = minutes;
    record["peak_memory"] = peak_memory();
    metrics_.write(record);
    write_events(record, state.update);
    spdlog::info(
        "validation after update {}: cross-entropy {:.4f}, perplexity {:.2f}{} ({}; {:.1f} s; peak memory {:.0f} MiB)",
        state.update, result.cross_entropy, result.perplexity, shown,
        gained ? "best so far" : fmt::format("{} without gain", state.validations_without_gain), result.seconds,
        mebibytes(peak_memory()));
}

}  // namespace softalign
