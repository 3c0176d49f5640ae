#include "train/checkpoints.h"

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

#include "base/error.h"
#include "storage/model_directory.h"
#include "storage/model_part.h"
#include "storage/safetensors.h"

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
            throw Misfit(ExitCode::model, path + ": " + name +
                                              (it == found.end() ? " is missing" : " has another shape") +
                                              ": the run was started with another configuration (model, optimiser or "
                                              "average); go on with the config.yaml beside it, or start anew in "
                                              "another checkpoints.directory");
        }
        require_finite(path, name, it->second);
    }
    const at::NoGradGuard no_grad;
    for (auto& [name, part] : parts) {
        part.copy_(found.at(name));
    }
}

void remove_file(const std::string& path) {
    std::error_code ignored;  // a file that cannot be removed costs room, nothing else
    fs::remove(path, ignored);
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
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, absent)) {
        const std::string name = entry.path().filename().string();
        const std::size_t extra = prefix.size() + std::string(suffix).size();
        if (!entry.is_regular_file() || name.size() <= extra || name.compare(0, prefix.size(), prefix) != 0 ||
            entry.path().extension() != suffix) {
            continue;
        }
        const std::string number = name.substr(prefix.size(), name.size() - extra);
        if (number.size() <= 18 &&
            std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            updates.push_back(std::stoll(number));
        }
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
    for (const char* prefix : {"last-", "best-"}) {
        for (const std::int64_t update : updates_of(prefix)) {
            remove_file(path_of(prefix, update));
        }
    }
}

void Checkpoints::save(const RunState& state, const TrainingVectors& vectors, const RunSettings& settings) const {
    make_folder();
    write_safetensors(path_of("last-", state.update),
                      {all_parts(vectors), {{"run_state", state.to_json()}, {"run_settings", settings.to_json()}}});
    std::vector<std::int64_t> updates = updates_of("last-");
    while (updates.back() > state.update) {
        remove_file(path_of("last-", updates.back()));
        updates.pop_back();
    }
    while (static_cast<std::int64_t>(updates.size()) > config_.keep_last) {
        remove_file(path_of("last-", updates.front()));
        updates.erase(updates.begin());
    }
}

RunState Checkpoints::restore(const TrainingVectors& vectors, Good good) const {
    std::vector<std::int64_t> updates = updates_of("last-");
    std::string trouble;
    for (; !updates.empty(); updates.pop_back()) {
        const std::string path = path_of("last-", updates.back());
        try {
            const TensorFile file = read_safetensors(path);
            const RunState state = state_of(file, path);
            if (good == Good::before_divergence && state.bad_in_a_row > 0) {
                continue;
            }
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

void Checkpoints::save_best(const RunState& state, const FlatParameters& parameters, const at::Tensor& weights,
                            bool is_first, const std::map<std::string, std::string>& metadata) const {
    const TensorFile file{parameters.parts(weights), metadata};
    make_folder();
    write_safetensors(path_of("best-", state.update), file);
    if (is_first) {
        write_safetensors(weights_path(model_directory_), file);
    }
    for (const std::int64_t update : updates_of("best-")) {
        const bool kept = std::any_of(state.best.begin(), state.best.end(),
                                      [&](const BestCheckpoint& entry) { return entry.update == update; });
        if (!kept) {
            remove_file(path_of("best-", update));
        }
    }
}

void Checkpoints::save_model(const TrainingVectors& vectors, const std::map<std::string, std::string>& metadata) const {
    write_safetensors(weights_path(model_directory_), {vectors.parameters.parts(vectors.evaluated()), metadata});
}

bool Checkpoints::has_model() const {
    return fs::exists(weights_path(model_directory_));
}

}  // namespace softalign
