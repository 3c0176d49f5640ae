#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/seq2seq.h"
#include "search/ensemble_stepper.h"
#include "search/seq2seq_stepper.h"
#include "storage/model_directory.h"
#include "text/tokenizer.h"

namespace softalign {

// A model and its vocabularies. Each model reads the source with its own.
struct EnsembleMember {
    const Seq2Seq& model;
    const Tokenizer& source;
    const Tokenizer& target;
    std::string name{};  // for messages
};

// Models that translate together; one model is an ensemble of one. Several threads may share it.
class Ensemble {
public:
    // REQUIRES: models and tokenizers outlive this.
    Ensemble(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target);

    // Throws Error(model), naming both, if two members have different target vocabularies, write in different
    // directions, or do not both read text or features of one size; and Error(configuration) if there is no member or
    // the weights do not fit. REQUIRES: models and tokenizers outlive this.
    Ensemble(std::vector<EnsembleMember> members, const EnsembleOptions& options);

    const std::vector<EnsembleMember>& members() const { return members_; }
    const std::vector<double>& weights() const { return weights_; }  // sum to 1
    EnsembleSpace space() const { return space_; }

    // Those of the first member.
    const Tokenizer& source() const { return members_.front().source; }
    const Tokenizer& target() const { return members_.front().target; }
    at::Device device() const { return members_.front().model.parameters().front().device(); }

    // Whether they read features rather than text.
    bool has_features() const { return members_.front().model.has_features(); }
    bool reverse_target() const { return members_.front().model.config().decoder.reverse_target; }
    // Whether the member reads every source in the pieces of the first one, or has annotations on the same grids.
    bool shares_source(std::size_t member) const { return source_difference_[member].empty(); }
    // Whether there are attention weights for the source pieces of the first member: those of each member that has a
    // weight above 0 and attention, and shares the source.
    bool has_attention() const;
    // Empty if there are; else what is against each member: "one is a model without attention; two has the weight 0".
    std::string lack_of_attention() const;
    // What is against members whose attention would count if they shared the source; empty where there are none.
    std::string attention_left_out() const;

    // The search's view of a batch; runs the encoders. `sources`: the batch as each member reads it. Each member is
    // normalised over the candidates. Attention of members that do not count is not computed. REQUIRES: this and what
    // `execution` names outlive the result.
    std::unique_ptr<StepModel> stepper(const std::vector<SourceBatch>& sources, const Execution& execution,
                                       bool keep_parts, const SteppingOptions& options) const;

private:
    // Whether the member has attention and a weight above 0.
    bool could_attend(std::size_t member) const;
    // Why the attention of a member does not count.
    std::string reason_against(std::size_t member) const;

    std::vector<EnsembleMember> members_;
    std::vector<double> weights_;
    EnsembleSpace space_;
    std::vector<std::string> source_difference_;  // of each member's source vocabulary, or grids, from the first one's
};

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
