#include "cli/options.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "storage/model_directory.h"

namespace softalign {

std::vector<ModelFiles> ModelOptions::files() const {
    if (!weights.empty() && weights.size() != directories.size()) {
        throw Error(ExitCode::usage, "--weights is given " + std::to_string(weights.size()) + " times and --model " +
                                         std::to_string(directories.size()) +
                                         "; give --weights once for each --model, in their order, or not at all");
    }
    if (!ensemble.weights.empty()) {
        try {
            normalised_weights(ensemble.weights, directories.size());
        } catch (const Error& error) {
            throw Error(ExitCode::usage, std::string("--ensemble-weights: ") + error.what());
        }
    }
    std::vector<ModelFiles> result;
    for (std::size_t i = 0; i < directories.size(); ++i) {
        result.push_back({directories[i], weights.empty() ? "" : weights[i], access});
    }
    return result;
}

std::string ModelOptions::names() const {
    std::string result;
    for (std::size_t i = 0; i < directories.size(); ++i) {
        const bool last = i + 1 == directories.size();
        result += (i == 0 ? "" : last ? " and " : ", ") + directories[i];
    }
    return result;
}

Config ModelOptions::config() const {
    return load_model_config(directories.front());
}

void ModelOptions::name_files(FileNames& names) const {
    for (std::size_t i = 0; i < directories.size(); ++i) {
        names.reads_model(directories[i], i < weights.size() ? weights[i] : "");
    }
}

LoadedEnsemble ModelOptions::load(const at::Device& device) const {
    return load_ensemble(files(), device, ensemble);
}

void add_model_options(CLI::App& command, ModelOptions& options) {
    command.add_option("--model", options.directories, "Model directory; several make an ensemble")
        ->required()
        ->allow_extra_args(false)
        ->type_name("DIR");
    command
        .add_option("--weights", options.weights, "Another checkpoint, one for each model (default: model.safetensors)")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command.add_flag_callback(
        "--no-map-weights", [&options] { options.access = FileAccess::read; },
        "Read the weights into memory, so that their files may be overwritten in place");
    add_choice(
        command, "--ensemble", {"probability", "log"},
        [&options](const std::string& space) {
            options.ensemble.space = space == "log" ? EnsembleSpace::log : EnsembleSpace::probability;
        },
        "Average the models' probabilities or log-probabilities: probability or log (default: probability)")
        ->type_name("SPACE");
    add_numbers(command, "--ensemble-weights", options.ensemble.weights, between(0, 1e6),
                "Weights of the models, such as 0.6,0.4 (default: equal)")
        ->type_name("W,W,...");
}

}  // namespace softalign
