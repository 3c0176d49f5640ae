#include "train/divergence.h"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/counted.h"

namespace softalign {

std::string bad_sentences(const GradientStep& step, const std::vector<BatchStream::Item>& batches,
                          const Corpus& corpus) {
    constexpr std::size_t most_named = 10;
    std::string lines;
    std::size_t count = 0;
    for (const BatchStream::Item& item : batches) {
        for (const std::int64_t id : step.sentences_not_finite(item.batch)) {
            if (count++ < most_named) {
                lines += (lines.empty() ? "" : ", ") + std::to_string(corpus.line(id));
            }
        }
    }
    if (count == 0) {
        return "; of no sentence pair alone";
    }
    return fmt::format("; of {} alone, line{} {}{} of the training text", counted(count, "sentence pair"),
                       count == 1 ? "" : "s", lines, count > most_named ? ", ..." : "");
}

bool has_diverged(const DivergenceConfig& divergence, const RunState& state, const UpdateSums& sums) {
    return !sums.weights_finite || state.bad_in_a_row >= divergence.updates;
}

std::string describe(const RunState& state) {
    return state.bad_in_a_row == 0
               ? fmt::format("update {} made weights that are not finite", state.update)
               : fmt::format("the loss or the gradient was not finite for {} updates in a row", state.bad_in_a_row);
}

std::string advice(const TrainingConfig& training, bool can_resume) {
    std::string text = training.clip_norm > 0.0
                           ? "lower training.optimizer.learning_rate or training.clip_norm and "
                           : "lower training.optimizer.learning_rate or set training.clip_norm and ";
    text += can_resume ? "go on from the last checkpoint with --resume"
                       : "start anew in another checkpoints.directory, since no checkpoint is from before it";
    if (training.divergence.action == DivergenceAction::stop) {
        text += ", or let runs go back by themselves (training.divergence.action: go_back)";
    }
    return text;
}

}  // namespace softalign
