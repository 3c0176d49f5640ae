#include "translate/sentence_encoder.h"

#include <string>

#include "base/counted.h"

namespace softalign {

Error unmet_rules(const EncodedSentence& sentence, const TranslateOptions& options) {
    const SearchTask& task = sentence.task;
    std::string rules;
    if (!task.prefix.nodes.empty()) {
        rules += ", its prefix";
    }
    if (!task.phrases.empty()) {
        rules += task.phrases.size() == 1 ? ", its phrase" : ", its phrases";
    }
    if (task.min_length > 0) {
        rules += ", at least " + counted(task.min_length, "piece") + " (search.min_length, search.min_length_ratio)";
    }
    if (options.search.no_repeat_ngram > 0) {
        rules +=
            ", no sequence of " + counted(options.search.no_repeat_ngram, "piece") + " twice (search.no_repeat_ngram)";
    }
    if (options.search.forbid_unk) {
        rules += ", no unknown piece (search.forbid_unk)";
    }
    if (options.shortlist) {
        rules += ", only pieces of the shortlist (search.shortlist)";
    }
    const std::string longest = "at most " + counted(task.max_length, "piece");
    const std::string where = "sentence " + std::to_string(sentence.number + 1) + ": ";
    if (rules.empty()) {
        return {ExitCode::numerical, where + "the model gives every translation of " + longest +
                                         " the probability 0: its weights are damaged or its training diverged; try "
                                         "an earlier checkpoint"};
    }
    return {ExitCode::data, where + "the search found no translation that keeps to all of its rules: " + longest +
                                rules + "; relax one of them"};
}

}  // namespace softalign
