#pragma once

#include <string>
#include <vector>

#include "storage/model_directory.h"
#include "translate/ensemble.h"

namespace softalign {

struct ModelFiles {
    std::string directory;
    std::string weights{};  // of another checkpoint; empty = model.safetensors of the directory
};

// Models of one or several directories, and the ensemble that they make.
struct LoadedEnsemble {
    std::vector<LoadedModel> models;
    Ensemble ensemble;

    // Defaults are the first model's.
    const Config& config() const { return models.front().config; }
};

// Loads every model onto the device; the same directory may be given again. Throws Error(model) for what cannot be
// loaded or does not go together, and as Ensemble does.
LoadedEnsemble load_ensemble(const std::vector<ModelFiles>& files, const at::Device& device,
                             const EnsembleOptions& options);

}  // namespace softalign
