#include "translate/ensemble.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/seq2seq_stepper.h"
#include "text/vocabulary_file.h"

namespace softalign {

namespace {

std::string direction_of(const EnsembleMember& member) {
    return member.model.config().decoder.reverse_target ? "from right to left" : "from left to right";
}

std::string source_of(const EnsembleMember& member) {
    return member.model.has_features()
               ? "features with " + std::to_string(member.model.sizes().source) + " values at each position"
               : "text";
}

// Empty if the annotations of both models lie on the same grids, as far as grids of these sizes tell.
std::string grid_difference(const EnsembleMember& first, const EnsembleMember& other) {
    constexpr std::int64_t largest = 256;
    for (std::int64_t side = 1; side <= largest; ++side) {
        const Grid square{side, side};
        if (first.model.annotation_grid(square) != other.model.annotation_grid(square)) {
            return "its annotations lie on other grids";
        }
    }
    return "";
}

std::string source_difference(const EnsembleMember& first, const EnsembleMember& other) {
    return first.model.has_features() ? grid_difference(first, other)
                                      : segmentation_difference(first.source, other.source);
}

void check_pair(const EnsembleMember& first, const EnsembleMember& other) {
    const std::string difference = vocabulary_difference(first.target, other.target);
    if (!difference.empty()) {
        throw Error(ExitCode::model, first.name + " and " + other.name +
                                         " cannot be one ensemble: their target vocabularies differ (" + difference +
                                         "); models of an ensemble must be trained with the same one");
    }
    if (source_of(first) != source_of(other)) {
        throw Error(ExitCode::model, first.name + " reads " + source_of(first) + ", " + other.name + " " +
                                         source_of(other) +
                                         ", so they cannot be one ensemble: all its models get the same source");
    }
    if (direction_of(first) != direction_of(other)) {
        throw Error(ExitCode::model, first.name + " writes " + direction_of(first) + ", " + other.name + " " +
                                         direction_of(other) +
                                         " (model.decoder.reverse_target), so they cannot be one ensemble; translate "
                                         "with one and rescore its n-best list with the other: softalign score "
                                         "--n-best");
    }
}

}  // namespace

Ensemble::Ensemble(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target)
    : Ensemble({{model, source, target}}, {}) {}

Ensemble::Ensemble(std::vector<EnsembleMember> members, const EnsembleOptions& options)
    : members_(std::move(members)), space_(options.space) {
    if (members_.empty()) {
        throw Error(ExitCode::configuration, "an ensemble needs at least one model");
    }
    weights_ = normalised_weights(options.weights, members_.size());
    for (const EnsembleMember& member : members_) {
        check_pair(members_.front(), member);
        source_difference_.push_back(source_difference(members_.front(), member));
    }
}

bool Ensemble::has_attention() const {
    return lack_of_attention().empty();
}

std::string Ensemble::lack_of_attention() const {
    std::string reasons;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (could_attend(i) && shares_source(i)) {
            return "";
        }
        reasons += (reasons.empty() ? "" : "; ") + members_[i].name + " " + reason_against(i);
    }
    return reasons;
}

std::string Ensemble::attention_left_out() const {
    std::string reasons;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (could_attend(i) && !shares_source(i)) {
            reasons += (reasons.empty() ? "" : "; ") + members_[i].name + " " + reason_against(i);
        }
    }
    return reasons;
}

bool Ensemble::could_attend(std::size_t member) const {
    return weights_[member] > 0.0 && members_[member].model.has_attention();
}

std::string Ensemble::reason_against(std::size_t member) const {
    if (!members_[member].model.has_attention()) {
        return "is a model without attention";
    }
    return could_attend(member) ? "does not read the source with the vocabulary of " + members_.front().name + " (" +
                                      source_difference_[member] + ")"
                                : "has the weight 0";
}

std::unique_ptr<StepModel> Ensemble::stepper(const std::vector<SourceBatch>& sources, const Execution& execution,
                                             bool keep_parts, const SteppingOptions& options) const {
    const auto member_stepper = [&](std::size_t i) {
        SteppingOptions of_member = options;
        of_member.weights = could_attend(i) && shares_source(i) ? options.weights : Weights::unwanted;
        return std::make_unique<Seq2SeqStepper>(members_[i].model, sources[i], execution, of_member);
    };
    if (members_.size() == 1) {
        return member_stepper(0);
    }
    std::vector<EnsembleStepper::Member> steppers;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        steppers.push_back({member_stepper(i), shares_source(i)});
    }
    return std::make_unique<EnsembleStepper>(std::move(steppers), EnsembleOptions{space_, weights_, keep_parts});
}

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
