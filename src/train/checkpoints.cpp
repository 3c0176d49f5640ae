#include "train/checkpoints.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/strings.h"
#include "storage/model_directory.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

constexpr const char* suffix = ".safetensors";

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Every vector of a run, cut into its named parts: "model.NAME", "average.NAME", "optimizer.first.NAME", ...
NamedTensors all_parts(const TrainingVectors& vectors) {
    NamedTensors result;
    const auto add = [&](const std::string& prefix, const at::Tensor& flat) {
        for (auto& [name, part] : vectors.parameters.parts(flat)) {
            result.emplace_back(prefix + name, part);
        }
    };
    add("model.", vectors.parameters.values());
    if (vectors.average.defined()) {
        add("average.", vectors.average);
    }
    for (const auto& [name, flat] : vectors.optimizer.state()) {
        add("optimizer." + name + ".", flat);
    }
    return result;
}

// A checkpoint of another configuration: no reason to look for an older one.
class Misfit : public Error {
public:
    using Error::Error;
};

RunState state_of(const TensorFile& file, const std::string& path) {
    try {
        return RunState::from_json(file.metadata.at("run_state"));
    } catch (const std::exception&) {
        throw Error(ExitCode::model, path + ": it holds no run state, so this is not a checkpoint to go on from");
    }
}

void fill(const TrainingVectors& vectors, const TensorFile& file, const std::string& path) {
    const std::map<std::string, at::Tensor> found(file.tensors.begin(), file.tensors.end());
    NamedTensors parts = all_parts(vectors);
    for (const auto& [name, part] : parts) {
        const auto it = found.find(name);
        if (it == found.end() || it->second.sizes() != part.sizes()) {
            throw Misfit(ExitCode::model,
                         fmt::format("{}: {} {}: the run was started with another configuration (model, optimiser or "
                                     "average); go on with the config.yaml beside it, or start anew in another "
                                     "checkpoints.directory",
                                     path, name, it == found.end() ? "is missing" : "has another shape"));
        }
        require_finite(path, name, it->second);
    }
    const at::NoGradGuard no_grad;
    for (auto& [name, part] : parts) {
        part.copy_(found.at(name));
    }
}

}  // namespace

Checkpoints::Checkpoints(const std::string& model_directory, const CheckpointConfig& config)
    : model_directory_(model_directory),
      folder_((fs::path(model_directory) / "checkpoints").string()),
      config_(config) {}

// With the first file in it, so that a run which is refused leaves no trace.
void Checkpoints::make_folder() const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        throw Error(ExitCode::output, folder_ + ": the directory cannot be made (" + error.message() +
                                          "); set checkpoints.directory to a place you can write to");
    }
}

std::string Checkpoints::path_of(const std::string& prefix, std::int64_t update) const {
    return (fs::path(folder_) / (prefix + std::to_string(update) + suffix)).string();
}

std::vector<std::int64_t> Checkpoints::updates_of(const std::string& prefix) const {
    std::vector<std::int64_t> updates;
    std::error_code fault;
    for (fs::directory_iterator next(folder_, fault); !fault && next != fs::directory_iterator();
         next.increment(fault)) {
        const fs::directory_entry& entry = *next;
        const std::string name = entry.path().filename().string();
        const std::size_t extra = prefix.size() + std::string(suffix).size();
        std::error_code gone;
        if (!entry.is_regular_file(gone) || name.size() <= extra || !starts_with(name, prefix) ||
            entry.path().extension() != suffix) {
            continue;
        }
        const std::string number = name.substr(prefix.size(), name.size() - extra);
        if (number.size() <= 18 && is_digits(number)) {
            updates.push_back(std::stoll(number));
        }
    }
    if (fault && fault != std::errc::no_such_file_or_directory) {
        throw Error(ExitCode::output, folder_ + ": the checkpoints cannot be listed (" + fault.message() +
                                          "); check the directory and the limit of open files (ulimit -n)");
    }
    std::sort(updates.begin(), updates.end());
    return updates;
}

std::int64_t Checkpoints::newest() const {
    const std::vector<std::int64_t> updates = updates_of("last-");
    return updates.empty() ? -1 : updates.back();
}

std::optional<RunSettings> Checkpoints::settings(std::int64_t update) const {
    try {
        return RunSettings::from_json(read_safetensors_metadata(path_of("last-", update)).at("run_settings"));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void Checkpoints::clear() const {
    for (const char* prefix : {"last-", "best-", "recent-"}) {
        for (const std::int64_t update : updates_of(prefix)) {
            remove(prefix, update);
        }
    }
}

TensorFile Checkpoints::contents(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings) {
    return {all_parts(vectors), {{"run_state", state.to_json()}, {"run_settings", settings.to_json()}}};
}

std::string Checkpoints::path_of_run(std::int64_t update) const {
    return path_of("last-", update);
}

void Checkpoints::save(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings) const {
    make_folder();
    write_safetensors(path_of_run(state.update), contents(state, vectors, settings), AtomicFile::Link::replaced);
    const std::vector<std::int64_t> updates = updates_of("last-");
    std::int64_t kept = 0;
    bool earlier_weights = false;
    for (auto update = updates.rbegin(); update != updates.rend(); ++update) {
        if (*update == state.update && (state.on_signal || *update > state.last_applied())) {
            continue;
        }
        if (*update > state.last_applied() || (kept >= config_.keep_last && earlier_weights) ||
            (*update < state.update && is_of_signal(*update).value_or(false))) {
            remove("last-", *update);
            continue;
        }
        ++kept;
        earlier_weights = earlier_weights || *update < state.last_applied();
    }
}

bool Checkpoints::remove_from(std::int64_t update, bool scheduled_only) const {
    std::vector<std::int64_t> updates = updates_of("last-");
    const auto removed = std::stable_partition(updates.begin(), updates.end(), [&](std::int64_t saved) {
        return saved < update && !(scheduled_only && is_of_signal(saved).value_or(true));
    });
    if (removed == updates.begin()) {
        return false;
    }
    std::for_each(removed, updates.end(), [this](std::int64_t saved) { remove("last-", saved); });
    return true;
}

std::optional<bool> Checkpoints::is_of_signal(std::int64_t update) const {
    try {
        return RunState::from_json(read_safetensors_metadata(path_of("last-", update)).at("run_state")).on_signal;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void Checkpoints::remove(const std::string& prefix, std::int64_t update) const {
    std::error_code ignored;  // a file that cannot be removed costs room, nothing else
    fs::remove(path_of(prefix, update), ignored);
}

RunState Checkpoints::restore(const TrainingVectors& vectors, std::int64_t limit) const {
    std::vector<std::int64_t> updates = updates_of("last-");
    updates.erase(std::lower_bound(updates.begin(), updates.end(), limit), updates.end());
    std::string trouble;
    for (; !updates.empty(); updates.pop_back()) {
        const std::string path = path_of("last-", updates.back());
        try {
            const TensorFile file = read_safetensors(path);
            RunState state = state_of(file, path);
            fill(vectors, file, path);
            if (!trouble.empty()) {
                spdlog::warn("going on from the checkpoint before: {}", path);
            }
            return state;
        } catch (const Misfit&) {
            throw;
        } catch (const Error& error) {
            trouble = error.what();
            spdlog::warn("{}", trouble);
        }
    }
    throw Error(ExitCode::model, folder_ + ": no checkpoint is left to go on from" +
                                     (trouble.empty() ? "" : " (" + trouble + ")") +
                                     "; start anew in another checkpoints.directory");
}

void Checkpoints::save_best(const TensorFile& model, std::int64_t update, bool is_first) const {
    make_folder();
    write_safetensors(path_of("best-", update), model, AtomicFile::Link::replaced);
    if (is_first) {
        write_safetensors(weights_path(model_directory_), model, AtomicFile::Link::replaced);
    }
}

void Checkpoints::remove_best_but(const std::vector<BestCheckpoint>& best) const {
    for (const std::int64_t update : updates_of("best-")) {
        if (std::none_of(best.begin(), best.end(),
                         [&](const BestCheckpoint& entry) { return entry.update == update; })) {
            remove("best-", update);
        }
    }
}

void Checkpoints::save_recent(const TensorFile& model, std::int64_t update) const {
    make_folder();
    write_safetensors(path_of("recent-", update), model, AtomicFile::Link::replaced);
    remove_older_recent();
}

void Checkpoints::remove_older_recent() const {
    const std::vector<std::int64_t> updates = updates_of("recent-");
    for (std::size_t i = 0; static_cast<std::int64_t>(updates.size() - i) > config_.average; ++i) {
        remove("recent-", updates[i]);
    }
}

void Checkpoints::remove_recent_after(std::int64_t update) const {
    for (const std::int64_t later : updates_of("recent-")) {
        if (later > update) {
            remove("recent-", later);
        }
    }
}

std::vector<std::string> Checkpoints::to_average(const std::vector<BestCheckpoint>& best) const {
    std::vector<std::string> paths;
    const auto most = static_cast<std::size_t>(config_.average);
    if (config_.average_of == AverageOf::last) {
        const std::vector<std::int64_t> updates = updates_of("recent-");
        for (std::size_t i = updates.size() - std::min(updates.size(), most); i < updates.size(); ++i) {
            paths.push_back(path_of("recent-", updates[i]));
        }
        return paths;
    }
    for (std::size_t i = 0; i < std::min(best.size(), most); ++i) {
        paths.push_back(path_of("best-", best[i].update));
    }
    return paths;
}

bool Checkpoints::model_is_mean() const {
    return has_model() && read_safetensors_metadata(weights_path(model_directory_)).count("averaged") > 0;
}

TensorFile Checkpoints::read_best(std::int64_t update) const {
    return read_safetensors(path_of("best-", update));
}

void Checkpoints::save_model(const TensorFile& model) const {
    write_safetensors(weights_path(model_directory_), model, AtomicFile::Link::replaced);
}

void Checkpoints::save_model(const TrainingVectors& vectors, const std::map<std::string, std::string>& metadata) const {
    write_safetensors(weights_path(model_directory_), {vectors.parameters.parts(vectors.evaluated()), metadata},
                      AtomicFile::Link::replaced);
}

bool Checkpoints::has_model() const {
    return fs::exists(weights_path(model_directory_));
}

}  // namespace softalign
