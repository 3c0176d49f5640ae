#include "train/mean_of_models.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/metric.h"
#include "storage/average.h"
#include "train/best_models.h"

namespace softalign {

MeanOfModels::MeanOfModels(const Config& config, const Checkpoints& checkpoints, const FlatParameters& parameters)
    : config_(config), checkpoints_(checkpoints), parameters_(parameters) {}

bool MeanOfModels::keeps_last() const {
    return config_.checkpoints.average > 0 && config_.checkpoints.average_of == AverageOf::last;
}

void MeanOfModels::keep(std::int64_t update, const at::Tensor& weights,
                        const std::map<std::string, std::string>& metadata) {
    if (!keeps_last()) {
        return;
    }
    waiting_.push_back({update, weights, metadata});
    if (!write()) {
        waiting_.back().weights = weights.clone();
    }
}

bool MeanOfModels::write() {
    return write_waiting(waiting_, [this](const Waiting& model) {
        checkpoints_.save_recent({parameters_.parts(model.weights), model.metadata}, model.update);
    });
}

void MeanOfModels::go_on_from(std::int64_t update) {
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                  [update](const Waiting& model) { return model.update > update; }),
                   waiting_.end());
    checkpoints_.remove_recent_after(keeps_last() ? update : -1);  // without new ones, none is one of the last
}

// Gives every process the weights of a file that rank 0 has read.
void MeanOfModels::share(const TensorFile& file, Seq2Seq& model, Group& group) const {
    const at::Tensor weights = parameters_.zeros();
    if (group.is_first()) {
        const std::map<std::string, at::Tensor> tensors(file.tensors.begin(), file.tensors.end());
        for (auto& [name, part] : parameters_.parts(weights)) {
            part.copy_(tensors.at(name));
        }
    }
    group.broadcast(weights);
    parameters_.attach(model, weights);
}

void MeanOfModels::write_model(const TensorFile& file, const ValidationResult& result) const {
    checkpoints_.save_model(file);
    if (!result.translations.empty()) {
        write_best_translations(config_.checkpoints.directory, result.translations);
    }
}

void MeanOfModels::try_it(const RunState& state, Seq2Seq& model, const Validator& validator, Group& group) const {
    if (group.is_first()) {
        checkpoints_.remove_older_recent();  // one whose removal failed, or that a killed run has left
    }
    const std::vector<std::string> paths =
        group.is_first() ? checkpoints_.to_average(state.best) : std::vector<std::string>();
    const std::size_t number = std::stoul(group.broadcast(std::to_string(paths.size())));
    if (number < 2 || state.best.empty()) {
        spdlog::info("no mean of models was tried: there {} {}", number == 1 ? "is" : "are", number);
        return;
    }
    TensorFile file;
    if (group.is_first()) {
        file = average_checkpoints(paths);
    }
    share(file, model, group);
    const ValidationResult result = validator.run(model);
    const Metric metric = config_.validation.metric;
    const double value = result.value(metric);
    const double best = state.best.front().score;
    if (std::isnan(value) || is_better(metric, best, value)) {
        spdlog::info("mean of {} models: {} {:.4g}, the best model {:.4g}; the best model stays", number,
                     metric_name(metric), value, best);
        bring_back(state.best.front(), model, validator, group);
        return;
    }
    spdlog::info("mean of {} models: {} {:.4g}, the best model {:.4g}; the mean is kept as the model", number,
                 metric_name(metric), value, best);
    if (group.is_first()) {
        for (const auto& [key, text] : model_metadata(state, &result)) {
            file.metadata[key] = text;
        }
        write_model(file, result);
    }
}

void MeanOfModels::bring_back(const BestCheckpoint& best, Seq2Seq& model, const Validator& validator,
                              Group& group) const {
    const bool is_mean = group.is_first() && checkpoints_.model_is_mean();
    if (group.broadcast(is_mean ? "yes" : "") != "yes") {
        return;
    }
    TensorFile file;
    if (group.is_first()) {
        file = checkpoints_.read_best(best.update);
    }
    share(file, model, group);
    const ValidationResult result = validator.run(model);  // for its translations
    if (group.is_first()) {
        write_model(file, result);
    }
}

}  // namespace softalign
