#include "train/run_state.h"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "config/metric.h"

namespace softalign {

namespace {

nlohmann::ordered_json number(double value) {
    if (std::isfinite(value)) {
        return value;
    }
    return std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
}

double number_of(const nlohmann::json& json) {
    return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}

}  // namespace

std::string RunState::to_json() const {
    nlohmann::ordered_json best_list = nlohmann::ordered_json::array();
    for (const BestCheckpoint& entry : best) {
        best_list.push_back({{"score", number(entry.score)}, {"update", entry.update}});
    }
    return nlohmann::ordered_json{{"update", update},
                                  {"epoch", epoch},
                                  {"position", position},
                                  {"validations_without_gain", validations_without_gain},
                                  {"last_validation", last_validation},
                                  {"validation_owed", validation_owed},
                                  {"best", best_list},
                                  {"schedule_reduction", number(schedule.reduction)},
                                  {"schedule_validations_without_gain", schedule.validations_without_gain},
                                  {"minutes", number(minutes)},
                                  {"applied", applied},
                                  {"bad_in_a_row", bad_in_a_row},
                                  {"bad_in_all", bad_in_all},
                                  {"times_back", times_back},
                                  {"on_signal", on_signal},
                                  {"save_owed", save_owed},
                                  {"rate_factor", number(schedule.rate_factor)},
                                  {"window_tokens", window.tokens},
                                  {"window_objective", number(window.objective)},
                                  {"window_alignment", number(window.alignment)},
                                  {"window_risk", number(window.risk)},
                                  {"window_sentences", window.sentences}}
        .dump();
}

RunState RunState::from_json(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    RunState state;
    state.update = json.at("update");
    state.epoch = json.at("epoch");
    state.position = json.at("position");
    state.validations_without_gain = json.at("validations_without_gain");
    state.last_validation = json.at("last_validation");
    state.validation_owed = json.value("validation_owed", false);  // checkpoints of earlier versions lack it
    for (const nlohmann::json& entry : json.at("best")) {
        state.best.push_back({number_of(entry.at("score")), entry.at("update")});
    }
    state.schedule.reduction = number_of(json.at("schedule_reduction"));
    state.schedule.validations_without_gain = json.at("schedule_validations_without_gain");
    state.minutes = number_of(json.at("minutes"));
    state.bad_in_a_row = json.at("bad_in_a_row");
    state.bad_in_all = json.at("bad_in_all");
    state.applied = json.value("applied", state.update - state.bad_in_all);  // the same
    state.times_back = json.at("times_back");
    state.on_signal = json.value("on_signal", false);
    state.save_owed = json.value("save_owed", false);
    state.schedule.rate_factor = number_of(json.at("rate_factor"));
    state.window.tokens = json.at("window_tokens");
    state.window.objective = number_of(json.at("window_objective"));
    state.window.alignment = number_of(json.value("window_alignment", nlohmann::json(0.0)));
    state.window.risk = number_of(json.value("window_risk", nlohmann::json(0.0)));
    state.window.sentences = json.value("window_sentences", std::int64_t{0});
    return state;
}

std::map<std::string, std::string> model_metadata(const RunState& state, const ValidationResult* result) {
    std::map<std::string, std::string> entries{{"update", std::to_string(state.update)},
                                               {"epoch", std::to_string(state.last_epoch())}};
    if (result != nullptr) {  // numbers with all their digits, by which they are ranked
        entries["cross_entropy"] = fmt::format("{}", result->cross_entropy);
        for (const ValidationScore& score : result->scores) {
            const std::string key = metric_key(score.metric);
            entries[key] = fmt::format("{}", score.score);
            entries[key + "_signature"] = score.signature;
        }
    }
    return entries;
}

}  // namespace softalign
