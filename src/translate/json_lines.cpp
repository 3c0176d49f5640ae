#include "translate/format.h"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "translate/confidence.h"
#include "translate/output_faults.h"

namespace softalign {

namespace {

using Json = nlohmann::ordered_json;

double finite(double value) {
    if (!std::isfinite(value)) {
        throw Error(ExitCode::numerical,
                    fmt::format("a translation has {} among its scores or weights, which JSON cannot hold; the weights "
                                "of the model are damaged: try those of another checkpoint",
                                value));
    }
    return value;
}

// The shortest decimal number that is nearest to this float, rather than to the double that it would be widened to.
double shortest(float value) {
    finite(value);
    return std::stod(fmt::format("{}", value));
}

Json numbers(const std::vector<float>& values) {
    Json list = Json::array();
    for (const float value : values) {
        list.push_back(shortest(value));
    }
    return list;
}

Json matrix(const AlignmentWeights& weights) {
    Json rows = Json::array();
    for (const std::vector<float>& row : weights) {
        rows.push_back(numbers(row));
    }
    return rows;
}

Json pairs_of(const Translation& translation, AlignmentUnits units) {
    Json list = Json::array();
    for (const auto& [source, target] : hard_alignment(translation, units)) {
        list.push_back(Json::array({source, target}));
    }
    return list;
}

// Else the source is features.
bool is_text(const TokenizerPair& tokenizers) {
    return tokenizers.source.size() > 0;
}

Json grid_of(const Translation& translation) {
    return Json::array({translation.grid.height, translation.grid.width});
}

Json translation_json(const Translation& translation, const Tokenizer& target, bool attention) {
    Json json = {{"text", translation.text},
                 {"score", finite(translation.score)},
                 {"log_prob", finite(translation.log_prob)},
                 {"length_norm", finite(translation.length_norm)}};
    if (translation.coverage != 0.0) {
        json["coverage"] = finite(translation.coverage);
    }
    if (translation.fault != OutputFault::none) {
        json["fault"] = name_of(translation.fault);
        json["repaired"] = translation.repaired;
    }
    json["confidence"] = shortest(sentence_confidence(translation));
    if (!translation.target_words.words.empty()) {
        json["word_confidences"] = numbers(word_confidences(translation));
    }
    json["pieces"] = target_labels(translation, AlignmentUnits::pieces, target);
    json["token_log_probs"] = numbers(translation.token_log_probs);
    for (std::size_t model = 0; model < translation.model_token_log_probs.size(); ++model) {
        json["model_log_probs"].push_back(finite(model_log_prob(translation, model)));
    }
    if (!translation.attention.empty()) {
        json["alignment"] = pairs_of(translation, AlignmentUnits::pieces);
        json["word_alignment"] = pairs_of(translation, AlignmentUnits::words);
        if (attention) {
            json["attention"] = matrix(translation.attention);
        }
    }
    return json;
}

}  // namespace

std::string soft_alignment_line(std::int64_t index, const Translation& translation, AlignmentUnits units,
                                const TokenizerPair& tokenizers) {
    Json json{{"index", index}};
    if (is_text(tokenizers)) {
        json["source"] = source_labels(translation, units, tokenizers.source);
    } else {
        json["grid"] = grid_of(translation);
    }
    json["target"] = target_labels(translation, units, tokenizers.target);
    json["weights"] = matrix(alignment_weights(translation, units));
    return json_text(json);
}

namespace {

Json sentence_json(std::int64_t index, const std::vector<Translation>& translations, const TokenizerPair& tokenizers,
                   bool attention) {
    Json list = Json::array();
    for (const Translation& translation : translations) {
        list.push_back(translation_json(translation, tokenizers.target, attention));
    }
    const Translation& first = translations.front();
    Json json{{"index", index}, {"source", first.source}};
    if (is_text(tokenizers)) {
        json["source_pieces"] = source_labels(first, AlignmentUnits::pieces, tokenizers.source);
    } else {
        json["grid"] = grid_of(first);
    }
    json["translations"] = std::move(list);
    return json;
}

// What is otherwise in the text than the model reads and writes it.
void add_restored(Json& sentence, const RestoredSentence& restored) {
    if (!restored.before.empty()) {
        sentence["before"] = restored.before;
    }
    if (restored.source != sentence["source"]) {
        sentence["original"] = restored.source;
    }
    for (std::size_t k = 0; k < restored.translations.size(); ++k) {
        Json& translation = sentence["translations"][k];
        if (restored.translations[k] != translation["text"]) {
            translation["restored"] = restored.translations[k];
        }
    }
    if (!restored.spans.empty()) {
        sentence["spans"] = restored.spans;
    }
}

}  // namespace

std::string sentence_line(std::int64_t index, const std::vector<Translation>& translations,
                          const TokenizerPair& tokenizers, bool attention) {
    return json_text(sentence_json(index, translations, tokenizers, attention));
}

std::string paragraph_line(std::int64_t index, const TranslatedParagraph& paragraph, const TokenizerPair& tokenizers,
                           bool attention) {
    Json list = Json::array();
    for (const std::vector<Translation>& sentence : paragraph.sentences) {
        const std::size_t number = list.size();
        list.push_back(sentence_json(static_cast<std::int64_t>(number), sentence, tokenizers, attention));
        add_restored(list.back(), paragraph.restored.sentences[number]);
    }
    Json json{{"index", index},
              {"source", paragraph.source},
              {"text", paragraph.restored.text},
              {"sentences", std::move(list)}};
    if (!paragraph.restored.behind.empty()) {
        json["behind"] = paragraph.restored.behind;
    }
    if (!paragraph.warning.empty()) {
        json["warning"] = paragraph.warning;
    }
    return json_text(json);
}

}  // namespace softalign
