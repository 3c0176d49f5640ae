#include "train/model_metadata.h"

#include <map>
#include <string>

#include "config/metric.h"

namespace softalign {

std::map<std::string, std::string> model_metadata(const RunState& state, const ValidationResult* result) {
    std::map<std::string, std::string> entries{{"update", std::to_string(state.update)},
                                               {"epoch", std::to_string(state.last_epoch())}};
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

}  // namespace softalign
