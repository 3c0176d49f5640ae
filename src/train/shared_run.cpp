#include "train/shared_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/instructions.h"
#include "base/powers_of_two.h"
#include "base/strings.h"
#include "platform/device.h"
#include "train/checkpoints.h"
#include "train/resolve.h"

namespace softalign {

namespace {

std::string packed(const nlohmann::json& json) {
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_msgpack(json);
    return {bytes.begin(), bytes.end()};
}

// Of the keys that say how the processes of one machine work, and where.
bool may_differ(const std::string& name) {
    return starts_with(name, "runtime.") && name != "runtime.precision";
}

}  // namespace

Config resolve_together(Group& group, const Config& config, bool resume) {
    if (group.is_alone()) {
        return resolve(config, resume);
    }
    group.require_same("training.shards", std::to_string(config.training.shards));
    group.require_same("model.source.size", std::to_string(config.model.source.size));
    if (!is_power_of_two(group.size())) {
        const std::int64_t more = power_of_two_from(group.size());
        throw Error(ExitCode::configuration, std::to_string(group.size()) +
                                                 " processes cannot train one model: their number must be a power of "
                                                 "two, and at most training.shards; start " +
                                                 std::to_string(more / 2) + " or " + std::to_string(more));
    }
    if (config.training.batch_unit == BatchUnit::sentences && group.size() > config.training.batch_size) {
        throw Error(ExitCode::configuration,
                    std::to_string(group.size()) + " processes are more than the sentences of a batch; start " +
                        std::to_string(power_of_two_from(config.training.batch_size + 1) / 2) +
                        " at most, or raise training.batch_size (" + std::to_string(config.training.batch_size) + ")");
    }
    nlohmann::json chosen;
    if (group.is_first()) {
        Config resolved = resolve(config, resume);
        const bool goes_on = resume && Checkpoints(config.checkpoints.directory, config.checkpoints).newest() >= 0;
        if (config.training.shards == 0 && !goes_on) {
            const int each = worker_count(0, pick_device(config.runtime.device, group.local_rank())) /
                             group.share_of_processors().count;
            resolved.training.shards =
                std::max<std::int64_t>(choose_shards(config.training, std::max(1, each) * group.size()), group.size());
        }
        chosen = {resolved.training.shards, resolved.model.source.size};
    }
    chosen = nlohmann::json::from_msgpack(group.broadcast(packed(chosen)));
    Config resolved = config;
    resolved.training.shards = chosen.at(0);
    resolved.model.source.size = chosen.at(1);
    return resolved;
}

int workers_of_process(const Group& group, const Config& resolved, const at::Device& device) {
    std::int64_t workers = worker_count(resolved.runtime.workers, device);
    if (resolved.runtime.workers == 0) {
        workers = std::max<std::int64_t>(1, workers / group.share_of_processors().count);
    }
    return static_cast<int>(std::min(workers, std::max<std::int64_t>(1, resolved.training.shards / group.size())));
}

void require_shareable(const Config& config, Group& group) {
    const at::Device device = pick_device(config.runtime.device, group.local_rank());
    group.require_same("runtime.device, or what auto finds", is_in_process(device) ? "cpu" : "cuda");
    group.use_device(device);
    group.require_same("runtime.precision", name_of(config.runtime.precision));
    if (config.runtime.precision == Precision::bfloat16 && is_in_process(device)) {
        group.require_same(bfloat16_instructions, name_of(instructions_of_bfloat16()));
    }
    const std::int64_t shards = config.training.shards;
    if (group.is_alone() || (is_power_of_two(shards) && group.size() <= shards)) {
        return;
    }
    std::string numbers = "1";
    for (std::int64_t number = 2; is_power_of_two(shards) && number <= shards; number *= 2) {
        numbers += (2 * number <= shards ? ", " : " or ") + std::to_string(number);
    }
    throw Error(ExitCode::configuration,
                std::to_string(group.size()) + " processes cannot share training.shards: " + std::to_string(shards) +
                    "; start " + numbers + (numbers == "1" ? " process" : " processes") +
                    ", or set training.shards, in a new run, to a power of two that is at least the number of "
                    "processes");
}

VocabularyFiles share_vocabularies(Group& group, VocabularyFiles mine) {
    if (group.is_alone()) {
        return mine;
    }
    group.wait_for_first();
    nlohmann::json list = nlohmann::json::array();
    for (const VocabularyBytes& file : mine) {
        list.push_back({file.path, file.bytes});
    }
    VocabularyFiles result;
    for (const auto& file : nlohmann::json::from_msgpack(group.broadcast(packed(list)))) {
        result.push_back({file.at(0).get<std::string>(), file.at(1).get<std::string>()});
    }
    return result;
}

void require_same_settings(Group& group, const RunSettings& mine) {
    const std::vector<std::string> all = group.gather(mine.to_json());
    const RunSettings first = RunSettings::from_json(all.front());
    for (int rank = 1; rank < group.size(); ++rank) {
        std::string differences;
        for (const SettingChange& change :
             changes_between(first, RunSettings::from_json(all[static_cast<std::size_t>(rank)]))) {
            if (!may_differ(change.name)) {
                differences += "\n  " + change.name + ": " + change.before + " on " + group.name_of(0) + ", " +
                               change.now + " on " + group.name_of(rank);
            }
        }
        if (!differences.empty()) {
            throw Error(ExitCode::configuration,
                        "the processes were started with different settings or texts:" + differences +
                            "\nstart them all with the same configuration and the same files");
        }
    }
}

void share_run(Group& group, RunState& state, const TrainingVectors& vectors) {
    if (group.is_alone()) {
        return;
    }
    state = RunState::from_json(group.broadcast(state.to_json()));
    group.broadcast(vectors.parameters.values());
    if (vectors.average.defined()) {
        group.broadcast(vectors.average);
    }
}

Clock agree_on_clock(Group& group, const Clock& mine) {
    if (group.is_alone()) {
        return mine;
    }
    const std::vector<std::string> all = group.gather(packed({mine.signal, mine.minutes}));
    Clock agreed;
    agreed.minutes = nlohmann::json::from_msgpack(all.front()).at(1).get<double>();
    for (const std::string& text : all) {
        agreed.signal = agreed.signal || nlohmann::json::from_msgpack(text).at(0).get<bool>();
    }
    return agreed;
}

}  // namespace softalign
