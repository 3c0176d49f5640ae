#include "translate/format.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace softalign {

namespace {

std::string pieces_of(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
    std::string result;
    for (const std::int32_t id : ids) {
        result += (result.empty() ? "" : " ") + tokenizer.piece(id);
    }
    return result;
}

}  // namespace

std::string pharaoh_alignment(const Translation& translation) {
    std::string result;
    const std::size_t source_pieces = translation.source_ids.size() - 1;
    for (std::size_t t = 0; t < translation.ids.size() && t < translation.attention.size(); ++t) {
        const std::vector<float>& weights = translation.attention[t];
        const auto best = std::max_element(weights.begin(), weights.end()) - weights.begin();
        if (static_cast<std::size_t>(best) < source_pieces) {
            result += fmt::format("{}{}-{}", result.empty() ? "" : " ", best, t);
        }
    }
    return result;
}

std::string target_pieces(const Translation& translation, const Tokenizer& target) {
    return pieces_of(translation.ids, target);
}

std::string n_best_line(std::int64_t index, const std::string& text, double score) {
    return fmt::format("{} ||| {} ||| {:.6f}", index, text, score);
}

std::string score_line(const Translation& translation) {
    return fmt::format("{:.6f}\t{:.6f}", translation.score, translation.log_prob);
}

std::string pair_score_line(const PairScore& score, const Tokenizer* target) {
    std::string line = fmt::format("{:.6f}\t{}", score.log_prob, score.ids.size());
    if (target != nullptr) {
        line += "\t" + pieces_of(score.ids, *target);
        char separator = '\t';
        for (const float log_prob : score.token_log_probs) {
            line += fmt::format("{}{:.6f}", separator, log_prob);
            separator = ' ';
        }
    }
    return line;
}

}  // namespace softalign
