#include "train/model_metadata.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <string>

#include "config/metric.h"

namespace softalign {

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
