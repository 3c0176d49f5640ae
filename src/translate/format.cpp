#include "translate/format.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace softalign {

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
    std::string result;
    for (const std::int32_t id : translation.ids) {
        result += (result.empty() ? "" : " ") + target.piece(id);
    }
    return result;
}

std::string n_best_line(std::int64_t index, const std::string& text, double score) {
    return fmt::format("{} ||| {} ||| {:.6f}", index, text, score);
}

std::string score_line(const Translation& translation) {
    return fmt::format("{:.6f}\t{:.6f}", translation.score, translation.log_prob);
}

}  // namespace softalign
