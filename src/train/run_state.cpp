#include "train/run_state.h"

#include <nlohmann/json.hpp>

namespace softalign {

std::string RunState::to_json() const {
    nlohmann::ordered_json best_list = nlohmann::ordered_json::array();
    for (const BestCheckpoint& entry : best) {
        best_list.push_back({{"score", entry.score}, {"update", entry.update}});
    }
    return nlohmann::ordered_json{{"update", update},
                                  {"epoch", epoch},
                                  {"position", position},
                                  {"validations_without_gain", validations_without_gain},
                                  {"last_validation", last_validation},
                                  {"best", best_list},
                                  {"schedule_reduction", schedule.reduction},
                                  {"schedule_validations_without_gain", schedule.validations_without_gain},
                                  {"minutes", minutes}}
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
    for (const nlohmann::json& entry : json.at("best")) {
        state.best.push_back({entry.at("score"), entry.at("update")});
    }
    state.schedule.reduction = json.at("schedule_reduction");
    state.schedule.validations_without_gain = json.at("schedule_validations_without_gain");
    state.minutes = json.at("minutes");
    return state;
}

}  // namespace softalign
