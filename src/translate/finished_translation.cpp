// From hypotheses to text: the part of BatchTranslator behind the search.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "translate/batch_translator.h"
#include "translate/text_order.h"
#include "translate/unknown_words.h"

namespace softalign {

namespace {

// A byte-fallback vocabulary can write line ends, which would break "one line in, one line out".
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

}  // namespace

Translation BatchTranslator::finish(Hypothesis hypothesis, const EncodedSentence& sentence) const {
    if (ensemble_.reverse_target()) {
        to_text_order(hypothesis);
    }
    Translation translation;
    translation.text = one_line(text_of(hypothesis, sentence.words.copied));
    if (options_.keep_words) {
        translation.source_words = sentence.words.numbered;
        translation.target_words = find_words(translation.text, hypothesis, sentence.words.copied);
    }
    static_cast<Hypothesis&>(translation) = std::move(hypothesis);
    translation.source = sentence.text();
    if (sentence.grids.empty()) {
        translation.source_ids.reserve(sentence.pieces.front().size() + 1);
        translation.source_ids = sentence.pieces.front();
        translation.source_ids.push_back(source_.special().eos);
    } else {
        translation.grid = sentence.grids.front();
    }
    if (!options_.keep_attention) {
        translation.attention = {};
    }
    for (std::vector<float>& weights : translation.attention) {
        weights.resize(sentence.positions(0));  // without the padding of the batch
        weights.shrink_to_fit();
    }
    return translation;
}

Translation BatchTranslator::empty_translation(const std::string& sentence) const {
    Translation translation;
    translation.source = sentence;
    if (!ensemble_.has_features()) {
        translation.source_ids = {source_.special().eos};
    }
    translation.token_log_probs = {0.0F};
    if (options_.keep_model_log_probs && ensemble_.members().size() > 1) {
        translation.model_token_log_probs.resize(ensemble_.members().size(), {0.0F});
    }
    if (options_.keep_attention && ensemble_.has_attention() && !ensemble_.has_features()) {
        translation.attention = {{1.0F}};
    }
    if (options_.keep_words && !ensemble_.has_features()) {
        translation.source_words = source_words(sentence, source_, {}, false).numbered;
    }
    return translation;
}

std::string BatchTranslator::text_of(const Hypothesis& hypothesis, const PieceWords& source) const {
    const std::vector<std::int32_t>& ids = hypothesis.ids;
    if (options_.replace_unk == nullptr || std::count(ids.begin(), ids.end(), target_.special().unk) == 0) {
        return target_.decode(ids);
    }
    return replace_unknown({ids, hypothesis.attention}, source, target_, *options_.replace_unk);
}

PieceWords BatchTranslator::find_words(const std::string& text, const Hypothesis& hypothesis,
                                       const PieceWords& source) const {
    const auto part_of = [](const auto& all, std::size_t first, std::size_t last) {
        const auto at = [&all](std::size_t place) {
            return all.begin() + static_cast<std::ptrdiff_t>(std::min(place, all.size()));
        };
        return std::decay_t<decltype(all)>(at(first), at(last));
    };
    const std::size_t unknown =
        static_cast<std::size_t>(options_.replace_unk == nullptr
                                     ? 0
                                     : std::count(hypothesis.ids.begin(), hypothesis.ids.end(), target_.special().unk));
    return target_words(text, hypothesis.ids.size(), [&](std::size_t first, std::size_t last) {
        Hypothesis part;
        part.ids = part_of(hypothesis.ids, first, last);
        if (unknown > 0) {  // they are replaced by what their attention is on
            part.attention = part_of(hypothesis.attention, first, last);
        }
        return text_of(part, source);
    });
}

}  // namespace softalign
