#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "html/report.h"
#include "metrics/bleu.h"

namespace softalign {

// BLEU of single sentences as sacreBLEU computes it: with effective order.
struct SentenceScores {
    std::vector<double> bleu;
    std::vector<std::int64_t> reference_length;  // in the tokens of BLEU
};

// REQUIRES: as many references as outputs.
SentenceScores sentence_scores(const std::vector<std::string>& outputs, const std::vector<std::string>& references,
                               const BleuOptions& options);

// Corpus BLEU of the sentences whose references are 1-5, 6-10, 11-15, 16-20, 21-30, 31-40, 41-50 and more than 50
// tokens long, and of empty references; lengths that do not occur are left out.
std::vector<LengthScore> scores_by_length(const std::vector<std::string>& outputs,
                                          const std::vector<std::string>& references,
                                          const std::vector<std::int64_t>& reference_length,
                                          const BleuOptions& options);

}  // namespace softalign
