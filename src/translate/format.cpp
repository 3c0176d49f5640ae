#include "translate/format.h"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "translate/n_best_list.h"

namespace softalign {

namespace {

std::string piece_line(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
    std::string result;
    for (const std::int32_t id : ids) {
        result += (result.empty() ? "" : " ") + tokenizer.piece(id);
    }
    return result;
}

std::string tokens_and_log_probs(const std::vector<std::int32_t>& ids, const std::vector<float>& log_probs,
                                 const Tokenizer& tokenizer) {
    std::string line = piece_line(ids, tokenizer);
    char separator = '\t';
    for (const float log_prob : log_probs) {
        line += fmt::format("{}{:.6f}", separator, log_prob);
        separator = ' ';
    }
    return line;
}

}  // namespace

double model_log_prob(const Hypothesis& hypothesis, std::size_t model) {
    const std::vector<float>& log_probs = hypothesis.model_token_log_probs[model];
    return std::accumulate(log_probs.begin(), log_probs.end(), 0.0);
}

std::string pharaoh_line(const AlignmentPairs& pairs) {
    std::string result;
    for (const auto& [source, target] : pairs) {
        result += fmt::format("{}{}-{}", result.empty() ? "" : " ", source, target);
    }
    return result;
}

std::string target_pieces(const Translation& translation, const Tokenizer& target) {
    return piece_line(translation.ids, target);
}

std::string n_best_line(std::int64_t index, const std::string& text, double score, const std::string& features) {
    NBestEntry entry;
    entry.index = index;
    entry.text = text;
    entry.features = features;
    entry.score = fmt::format("{:.6f}", score);
    return to_line(entry);
}

std::string feature_list(const Hypothesis& hypothesis) {
    std::string features = fmt::format("LogProb= {:.6f} Length= {} LengthNorm= {:.6f}", hypothesis.log_prob,
                                       hypothesis.ids.size() + 1, hypothesis.length_norm);
    if (hypothesis.coverage != 0.0) {
        features += fmt::format(" Coverage= {:.6f}", hypothesis.coverage);
    }
    for (std::size_t model = 0; model < hypothesis.model_token_log_probs.size(); ++model) {
        features += fmt::format(" Model{}= {:.6f}", model, model_log_prob(hypothesis, model));
    }
    return features;
}

std::string score_line(const Translation& translation) {
    return fmt::format("{:.6f}\t{:.6f}", translation.score, translation.log_prob);
}

std::string token_score_line(const Hypothesis& hypothesis, const Tokenizer& target) {
    std::vector<std::int32_t> ids = hypothesis.ids;
    ids.push_back(target.special().eos);
    return tokens_and_log_probs(ids, hypothesis.token_log_probs, target);
}

std::string pair_score_line(const PairScore& score, const Tokenizer* target) {
    std::string line = fmt::format("{:.6f}\t{}", score.log_prob, score.ids.size());
    if (target != nullptr) {
        line += "\t" + tokens_and_log_probs(score.ids, score.token_log_probs, *target);
    }
    return line;
}

}  // namespace softalign
