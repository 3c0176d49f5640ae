#include "report/sentences.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace softalign {

namespace {

struct Lengths {
    std::int64_t most;
    const char* name;
};

constexpr Lengths lengths[] = {{0, "0"},      {5, "1-5"},    {10, "6-10"},
                               {15, "11-15"}, {20, "16-20"}, {30, "21-30"},
                               {40, "31-40"}, {50, "41-50"}, {std::numeric_limits<std::int64_t>::max(), ">50"}};

}  // namespace

SentenceScores sentence_scores(const std::vector<std::string>& outputs, const std::vector<std::string>& references,
                               const BleuOptions& options) {
    BleuOptions of_sentence = options;
    of_sentence.effective_order = true;
    SentenceScores scores;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const BleuScore score = corpus_bleu({outputs[i]}, {{references[i]}}, of_sentence);
        scores.bleu.push_back(score.score);
        scores.reference_length.push_back(score.reference_length);
    }
    return scores;
}

std::vector<LengthScore> scores_by_length(const std::vector<std::string>& outputs,
                                          const std::vector<std::string>& references,
                                          const std::vector<std::int64_t>& reference_length,
                                          const BleuOptions& options) {
    std::vector<LengthScore> result;
    std::int64_t least = 0;
    for (const Lengths& range : lengths) {
        std::vector<std::string> some_outputs;
        std::vector<std::string> some_references;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (reference_length[i] >= least && reference_length[i] <= range.most) {
                some_outputs.push_back(outputs[i]);
                some_references.push_back(references[i]);
            }
        }
        if (!some_outputs.empty()) {
            const double bleu = corpus_bleu(some_outputs, {some_references}, options).score;
            result.push_back({range.name, some_outputs.size(), bleu});
        }
        least = range.most == std::numeric_limits<std::int64_t>::max() ? least : range.most + 1;
    }
    return result;
}

}  // namespace softalign
