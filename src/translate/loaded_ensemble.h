#pragma once

#include <string>
#include <vector>

#include "storage/model_directory.h"
#include "translate/ensemble.h"

namespace softalign {

struct ModelFiles {
    std::string directory;
    std::string weights{};                // of another checkpoint; empty = model.safetensors of the directory
    FileAccess access = FileAccess::map;  // of the weights
};

// Models of one or several directories, and their ensemble.
struct LoadedEnsemble {
    std::vector<LoadedModel> models;
    Ensemble ensemble;

    // Defaults are the first model's.
    const Config& config() const { return models.front().config; }
};

// Loads every model onto the device; the same directory may be given twice. Throws Error(model) if a model cannot be
// loaded or does not match the others, and throws like Ensemble.
LoadedEnsemble load_ensemble(const std::vector<ModelFiles>& files, const at::Device& device,
                             const EnsembleOptions& options);

}  // namespace softalign
