#pragma once

#include <string>
#include <vector>

#include "cli/file_names.h"
#include "translate/loaded_ensemble.h"

namespace CLI {
class App;
}

namespace softalign {

// The models that a command uses together.
struct ModelOptions {
    std::vector<std::string> directories;
    std::vector<std::string> weights;     // none, or one for each directory
    FileAccess access = FileAccess::map;  // of the weights
    EnsembleOptions ensemble;

    // Throws Error(usage) if the numbers of options do not match.
    std::vector<ModelFiles> files() const;

    // "runs/a", "runs/a and runs/b"
    std::string names() const;

    // The first model's configuration, which supplies the defaults.
    Config config() const;

    // The files that loading reads.
    void name_files(FileNames& names) const;

    LoadedEnsemble load(const at::Device& device) const;
};

// Adds --model, --weights, --ensemble and --ensemble-weights. REQUIRES: `options` outlives the parsing of the command
// line.
void add_model_options(CLI::App& command, ModelOptions& options);

}  // namespace softalign
