#include "train/resolve.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/powers_of_two.h"
#include "data/corpus_side.h"
#include "data/source_lines.h"
#include "platform/device.h"
#include "storage/model_directory.h"
#include "train/checkpoints.h"
#include "train/run_directory.h"
#include "train/run_settings.h"

namespace softalign {

namespace {

// Below this, a shard's products have too few rows to be efficient (docs/scale.md has the measurements).
constexpr std::int64_t fewest_sentences = 8;
constexpr std::int64_t fewest_tokens = 128;

std::int64_t smallest_shard(BatchUnit unit) {
    return unit == BatchUnit::sentences ? fewest_sentences : fewest_tokens;
}

std::int64_t source_size(const Config& config, bool resume) {
    if (config.data.source_type != SourceType::features || config.model.source.size > 0) {
        return config.model.source.size;
    }
    const std::string& directory = config.checkpoints.directory;
    if (resume && std::filesystem::exists(config_path(directory))) {
        return load_model_config(directory).model.source.size;
    }
    require_inputs(config);
    return feature_depth(config.data.train_source.front());
}

// 0: there is no such run.
std::int64_t shards_of_run(const Config& config) {
    const Checkpoints checkpoints(config.checkpoints.directory, config.checkpoints);
    const std::int64_t newest = checkpoints.newest();
    if (newest < 0) {
        return 0;
    }
    constexpr std::int64_t former_default = 2;  // of runs whose checkpoints do not say what they were started with
    const auto settings = checkpoints.settings(newest);
    return settings ? std::strtoll(settings->values.at("training.shards").c_str(), nullptr, 10) : former_default;
}

}  // namespace

double expected_share(std::int64_t shards, int workers) {
    const std::int64_t rounds = (shards + workers - 1) / workers;
    return static_cast<double>(shards) / static_cast<double>(rounds * workers);
}

std::int64_t choose_shards(const TrainingConfig& training, int cores) {
    if (training.batch_size < 2) {
        return 1;
    }
    // Two at least, so that machines with one core and with two train the same weights.
    const std::int64_t most = std::max<std::int64_t>(training.batch_size / smallest_shard(training.batch_unit), 2);
    constexpr double worth_it = 1.1;  // times the share of time that the cores compute
    std::int64_t best = 2;
    for (std::int64_t shards = 4; shards <= std::min<std::int64_t>({most, 4L * cores, 1024}); shards *= 2) {
        if (expected_share(shards, cores) >= worth_it * expected_share(best, cores)) {
            best = shards;
        }
    }
    return best;
}

Config resolve(const Config& config, bool resume) {
    Config resolved = config;
    resolved.model.source.size = source_size(config, resume);
    std::int64_t& shards = resolved.training.shards;
    if (shards == 0 && resume) {
        shards = shards_of_run(config);
    }
    if (shards == 0) {
        // Of the machine and not runtime.workers, which changes no weights.
        shards = choose_shards(config.training, worker_count(0, pick_device(config.runtime.device)));
    }
    return resolved;
}

int training_workers(const Config& resolved, const at::Device& device) {
    const std::int64_t workers = worker_count(resolved.runtime.workers, device);
    return static_cast<int>(std::min(workers, resolved.training.shards));
}

std::string advice_on_idle_workers(const TrainingConfig& training, int available) {
    constexpr double enough = 0.75;
    const double share = expected_share(training.shards, available);
    if (share >= enough) {
        return "";
    }
    std::string text = fmt::format("{} shards keep {} workers busy for {:.0f} % of the time at most: ", training.shards,
                                   available, 100.0 * share);
    const std::int64_t better = choose_shards(training, available);
    if (expected_share(better, available) > share) {
        return text + fmt::format("training.shards: {} would use more of them, in a new run", better);
    }
    const std::int64_t all = power_of_two_from(available);
    const bool sentences = training.batch_unit == BatchUnit::sentences;
    return text + fmt::format("training.batch_size: {} would be enough {} for all of them, in a new run",
                              all * smallest_shard(training.batch_unit), sentences ? "sentences" : "tokens");
}

}  // namespace softalign
