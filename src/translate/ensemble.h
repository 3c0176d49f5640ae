#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/seq2seq.h"
#include "search/candidates.h"
#include "search/ensemble_stepper.h"
#include "text/tokenizer.h"

namespace softalign {

// A model and its vocabularies. Each model reads the source with its own.
struct EnsembleMember {
    const Seq2Seq& model;
    const Tokenizer& source;
    const Tokenizer& target;
    std::string name{};  // for messages
};

// A batch of source sentences as one member reads it.
struct EnsembleSource {
    at::Tensor ids;             // [B,S] int64
    at::Tensor mask;            // [B,S] bool, true = token
    bool shares_source = true;  // the ids are those of the first member
};

// Models that translate together; one model is an ensemble of one. Several threads may share it.
class Ensemble {
public:
    // REQUIRES: models and tokenizers outlive this.
    Ensemble(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target);

    // Throws Error(model), naming both, if two members have different target vocabularies or write in different
    // directions, and Error(configuration) if there is no member or the weights do not fit.
    // REQUIRES: models and tokenizers outlive this.
    Ensemble(std::vector<EnsembleMember> members, const EnsembleOptions& options);

    const std::vector<EnsembleMember>& members() const { return members_; }
    const std::vector<double>& weights() const { return weights_; }  // sum to 1
    EnsembleSpace space() const { return space_; }

    // Those of the first member.
    const Tokenizer& source() const { return members_.front().source; }
    const Tokenizer& target() const { return members_.front().target; }
    at::Device device() const { return members_.front().model.parameters().front().device(); }

    bool reverse_target() const { return members_.front().model.config().decoder.reverse_target; }
    // Whether the member reads the source in the pieces of the first one.
    bool shares_source(std::size_t member) const { return shares_source_[member]; }
    // Whether there are attention weights for the source pieces of the first member.
    bool has_attention() const;

    // The search's view of a batch; runs the encoders. `sources` has one entry per member. `candidates`: the tokens
    // that each sentence may use, over which each member is normalised; null: all. `hypotheses`: the width of the
    // search. REQUIRES: this outlives the result.
    std::unique_ptr<StepModel> stepper(const std::vector<EnsembleSource>& sources, bool keep_parts,
                                       std::int64_t hypotheses, const Candidates* candidates = nullptr) const;

private:
    std::vector<EnsembleMember> members_;
    std::vector<double> weights_;
    EnsembleSpace space_;
    std::vector<bool> shares_source_;
};

}  // namespace softalign
