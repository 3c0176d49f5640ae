#include "translate/confidence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace softalign {

float sentence_confidence(const Hypothesis& hypothesis) {
    const std::vector<float>& log_probs = hypothesis.token_log_probs;
    const std::size_t counted = std::max<std::size_t>(log_probs.size(), 2) - 1;
    double sum = 0.0;
    for (std::size_t i = 0; i < std::min(counted, log_probs.size()); ++i) {
        sum += std::exp(static_cast<double>(log_probs[i]));
    }
    return static_cast<float>(sum / static_cast<double>(counted));
}

std::vector<float> word_confidences(const Translation& translation) {
    const PieceWords& words = translation.target_words;
    std::vector<float> result(words.words.size(), 1.0F);
    for (std::size_t piece = 0; piece < words.of_piece.size(); ++piece) {
        const auto probability = static_cast<float>(std::exp(static_cast<double>(translation.token_log_probs[piece])));
        for (std::size_t word = words.of_piece[piece].begin; word < words.of_piece[piece].end; ++word) {
            result[word] = std::min(result[word], probability);
        }
    }
    return result;
}

}  // namespace softalign
