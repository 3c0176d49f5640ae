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
#include "base/json_object_text.h"
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

// A list of what `member` gives for each of the values.
template <typename Values, typename Member>
std::string list_of(const Values& values, const Member& member) {
    std::vector<std::string> list;
    for (const auto& value : values) {
        list.push_back(member(value));
    }
    return json_list_text(list);
}

std::string numbers(const std::vector<float>& values) {
    return list_of(values, [](float value) { return json_text(Json(shortest(value))); });
}

std::string strings(const std::vector<std::string>& values) {
    return list_of(values, [](const std::string& value) { return json_text(Json(value)); });
}

std::string matrix(const AlignmentWeights& weights) {
    return list_of(weights, numbers);
}

std::string pair_of(std::int64_t first, std::int64_t second) {
    return fmt::format("[{},{}]", first, second);
}

std::string pairs_of(const Translation& translation, AlignmentUnits units) {
    return list_of(hard_alignment(translation, units),
                   [](const auto& link) { return pair_of(link.first, link.second); });
}

// Else the source is features.
bool is_text(const TokenizerPair& tokenizers) {
    return tokenizers.source.size() > 0;
}

std::string grid_of(const Translation& translation) {
    return pair_of(translation.grid.height, translation.grid.width);
}

std::string translation_text(const Translation& translation, const Tokenizer& target, bool attention,
                             const std::string& restored) {
    JsonObjectText json;
    json.add("text", Json(translation.text));
    json.add("score", Json(finite(translation.score)));
    json.add("log_prob", Json(finite(translation.log_prob)));
    json.add("length_norm", Json(finite(translation.length_norm)));
    if (translation.coverage != 0.0) {
        json.add("coverage", Json(finite(translation.coverage)));
    }
    if (translation.fault != OutputFault::none) {
        json.add("fault", Json(name_of(translation.fault)));
        json.add("repaired", Json(translation.repaired));
    }
    json.add("confidence", Json(shortest(sentence_confidence(translation))));
    if (!translation.target_words.words.empty()) {
        json.add_text("word_confidences", numbers(word_confidences(translation)));
    }
    json.add_text("pieces", strings(target_labels(translation, AlignmentUnits::pieces, target)));
    json.add_text("token_log_probs", numbers(translation.token_log_probs));
    if (!translation.model_token_log_probs.empty()) {
        std::vector<std::string> log_probs;
        for (std::size_t model = 0; model < translation.model_token_log_probs.size(); ++model) {
            log_probs.push_back(json_text(Json(finite(model_log_prob(translation, model)))));
        }
        json.add_text("model_log_probs", json_list_text(log_probs));
    }
    if (!translation.attention.empty()) {
        json.add_text("alignment", pairs_of(translation, AlignmentUnits::pieces));
        json.add_text("word_alignment", pairs_of(translation, AlignmentUnits::words));
        if (attention) {
            json.add_text("attention", matrix(translation.attention));
        }
    }
    if (restored != translation.text) {
        json.add("restored", Json(restored));
    }
    return json.text();
}

}  // namespace

std::string soft_alignment_line(std::int64_t index, const Translation& translation, AlignmentUnits units,
                                const TokenizerPair& tokenizers) {
    JsonObjectText json;
    json.add("index", Json(index));
    if (is_text(tokenizers)) {
        json.add_text("source", strings(source_labels(translation, units, tokenizers.source)));
    } else {
        json.add_text("grid", grid_of(translation));
    }
    json.add_text("target", strings(target_labels(translation, units, tokenizers.target)));
    json.add_text("weights", matrix(alignment_weights(translation, units)));
    return json.text();
}

namespace {

// `restored`: what is otherwise in the text than the model reads and writes it; null for none.
std::string sentence_text(std::int64_t index, const std::vector<Translation>& translations,
                          const TokenizerPair& tokenizers, bool attention, const RestoredSentence* restored) {
    std::vector<std::string> list;
    for (std::size_t k = 0; k < translations.size(); ++k) {
        list.push_back(translation_text(translations[k], tokenizers.target, attention,
                                        restored == nullptr ? translations[k].text : restored->translations[k]));
    }
    const Translation& first = translations.front();
    JsonObjectText json;
    json.add("index", Json(index));
    json.add("source", Json(first.source));
    if (is_text(tokenizers)) {
        json.add_text("source_pieces", strings(source_labels(first, AlignmentUnits::pieces, tokenizers.source)));
    } else {
        json.add_text("grid", grid_of(first));
    }
    json.add_text("translations", json_list_text(list));
    if (restored == nullptr) {
        return json.text();
    }
    if (!restored->before.empty()) {
        json.add("before", Json(restored->before));
    }
    if (restored->source != first.source) {
        json.add("original", Json(restored->source));
    }
    if (!restored->spans.empty()) {
        json.add_text("spans", strings(restored->spans));
    }
    return json.text();
}

}  // namespace

std::string sentence_line(std::int64_t index, const std::vector<Translation>& translations,
                          const TokenizerPair& tokenizers, bool attention) {
    return sentence_text(index, translations, tokenizers, attention, nullptr);
}

std::string paragraph_line(std::int64_t index, const TranslatedParagraph& paragraph, const TokenizerPair& tokenizers,
                           bool attention) {
    std::vector<std::string> list;
    for (const std::vector<Translation>& sentence : paragraph.sentences) {
        const std::size_t number = list.size();
        list.push_back(sentence_text(static_cast<std::int64_t>(number), sentence, tokenizers, attention,
                                     &paragraph.restored.sentences[number]));
    }
    JsonObjectText json;
    json.add("index", Json(index));
    json.add("source", Json(paragraph.source));
    json.add("text", Json(paragraph.restored.text));
    json.add_text("sentences", json_list_text(list));
    if (!paragraph.restored.behind.empty()) {
        json.add("behind", Json(paragraph.restored.behind));
    }
    if (!paragraph.warning.empty()) {
        json.add("warning", Json(paragraph.warning));
    }
    return json.text();
}

}  // namespace softalign
