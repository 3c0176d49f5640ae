#include "report/run_history.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/metric.h"

namespace softalign {

namespace {

using Json = nlohmann::json;

std::optional<double> number(const Json& record, const char* name) {
    const auto found = record.find(name);
    if (found == record.end() || !found->is_number()) {
        return std::nullopt;
    }
    const double value = found->get<double>();
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::string text(const Json& record, const char* name) {
    const auto found = record.find(name);
    return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

// A value that is there but is no number was infinite or not a number: a gap.
void add_point(std::vector<Point>& curve, const Json& record, const char* name, double update) {
    if (record.contains(name)) {
        curve.push_back({update, number(record, name).value_or(std::numeric_limits<double>::quiet_NaN())});
    }
}

void add_training(RunHistory& log, const Json& record, double update) {
    add_point(log.curves.train_loss, record, "loss", update);
    add_point(log.curves.learning_rate, record, "learning_rate", update);
    add_point(log.curves.gradient_norm, record, "gradient_norm", update);
    add_point(log.curves.tokens_per_second, record, "tokens_per_second", update);
}

constexpr std::pair<Metric, std::vector<Point> TrainingCurves::*> score_curves[] = {
    {Metric::bleu, &TrainingCurves::bleu},
    {Metric::chrf, &TrainingCurves::chrf},
    {Metric::chrf_plus_plus, &TrainingCurves::chrf_plus_plus},
    {Metric::ter, &TrainingCurves::ter},
    {Metric::cer, &TrainingCurves::cer},
    {Metric::wer, &TrainingCurves::wer},
};

void add_validation(RunHistory& log, const Json& record, double update) {
    add_point(log.curves.validation_loss, record, "cross_entropy", update);
    LoggedValidation validation;
    for (const auto& [metric, curve] : score_curves) {
        const std::string key = metric_key(metric);
        add_point(log.curves.*curve, record, key.c_str(), update);
        if (const std::optional<double> score = number(record, key.c_str())) {
            validation.scores.push_back({metric_name(metric), *score, text(record, (key + "_signature").c_str())});
        }
    }
    validation.update = update;
    validation.epoch = number(record, "epoch");
    validation.cross_entropy = number(record, "cross_entropy");
    validation.perplexity = number(record, "perplexity");
    validation.best = record.value("best", Json()) == Json(true);
    log.validations.push_back(validation);
}

void sort_by_update(std::vector<Point>& curve) {
    std::stable_sort(curve.begin(), curve.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
}

}  // namespace

const LoggedValidation* RunHistory::best() const {
    const auto found = std::find_if(validations.rbegin(), validations.rend(),
                                    [](const LoggedValidation& validation) { return validation.best; });
    return found == validations.rend() ? nullptr : &*found;
}

double RunHistory::mean_speed() const {
    double sum = 0.0;
    double count = 0.0;
    for (const Point& point : curves.tokens_per_second) {
        if (std::isfinite(point.y)) {
            sum += point.y;
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : 0.0;
}

RunHistory run_history(const MetricsRecords& metrics) {
    RunHistory log;
    log.problems = metrics.problems;
    std::size_t without_update = 0;
    for (const Json& record : metrics.records) {
        const std::string type = text(record, "type");
        if (type != "train" && type != "validation") {
            continue;
        }
        const std::optional<double> update = number(record, "update");
        if (!update || *update < 0.0) {
            ++without_update;
            continue;
        }
        if (type == "train") {
            add_training(log, record, *update);
        } else {
            add_validation(log, record, *update);
        }
        log.updates = std::max(log.updates, *update);
        log.epochs = std::max(log.epochs, number(record, "epoch").value_or(0.0));
        log.minutes = std::max(log.minutes, number(record, "minutes").value_or(0.0));
    }
    if (without_update > 0) {
        log.problems.push_back("metrics.jsonl: records without the number of an update: " +
                               std::to_string(without_update) + "; they are ignored");
    }
    for (auto* curve : {&log.curves.train_loss, &log.curves.validation_loss, &log.curves.learning_rate,
                        &log.curves.gradient_norm, &log.curves.tokens_per_second}) {
        sort_by_update(*curve);
    }
    for (const auto& score : score_curves) {
        sort_by_update(log.curves.*score.second);
    }
    return log;
}

}  // namespace softalign
