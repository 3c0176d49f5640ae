#include "translate/loaded_ensemble.h"

#include <utility>
#include <vector>

namespace softalign {

LoadedEnsemble load_ensemble(const std::vector<ModelFiles>& files, const at::Device& device,
                             const EnsembleOptions& options) {
    std::vector<LoadedModel> models;
    std::vector<EnsembleMember> members;
    for (const ModelFiles& file : files) {
        models.push_back(load_model(file.directory, device, file.weights, file.access));
        const LoadedModel& loaded = models.back();
        members.push_back({*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, file.directory});
    }
    Ensemble ensemble(std::move(members), options);
    return {std::move(models), std::move(ensemble)};
}

}  // namespace softalign
