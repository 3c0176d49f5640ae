#include "embed/conversions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/batch.h"
#include "data/npy.h"
#include "translate/alignment.h"
#include "translate/confidence.h"
#include "translate/output_faults.h"

namespace softalign {

namespace {

// A value of the interface, where it is set, in place of the configuration's.
template <typename Value>
void set(Value& value, const std::optional<Value>& wanted) {
    value = wanted.value_or(value);
}

std::vector<std::string> pieces_of(const std::vector<std::int32_t>& ids, std::size_t count,
                                   const Tokenizer& tokenizer) {
    std::vector<std::string> pieces;
    pieces.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        pieces.push_back(tokenizer.piece(ids[i]));
    }
    return pieces;
}

std::optional<LengthNorm> length_norm(const std::optional<Translator::LengthNorm>& norm) {
    if (!norm) {
        return std::nullopt;
    }
    switch (*norm) {
        case Translator::LengthNorm::power:
            return LengthNorm::power;
        case Translator::LengthNorm::wu:
            return LengthNorm::wu;
    }
    throw TranslatorError(TranslatorError::Kind::options, "translation options: length_norm is none of LengthNorm");
}

Features to_inside(const Translator::Features& features) {
    Features result{{features.height, features.width}, features.depth, features.floats};
    if (result.values.empty()) {
        result.values.resize(features.bytes.size());
        std::transform(features.bytes.begin(), features.bytes.end(), result.values.begin(), unit_value);
    }
    return result;
}

}  // namespace

TranslationRequest to_inside(const Translator::Request& request, std::size_t number) {
    TranslationRequest result{request.text, request.prefix, request.phrases};
    if (request.features) {
        const auto require = [number](bool condition, const std::string& what) {
            if (!condition) {
                throw TranslatorError(TranslatorError::Kind::input, "sentence " + std::to_string(number) + what);
            }
        };
        require(request.text.empty(), " has a text and features; give one of them");
        require(request.features->floats.empty() || request.features->bytes.empty(),
                ": its features have floats and bytes; give one of them");
        result.features = std::make_shared<const Features>(to_inside(*request.features));
    }
    return result;
}

TranslateOptions translate_options(const Translator::Options& options, const SearchConfig& config) {
    TranslateOptions result{config};
    SearchConfig& search = result.search;
    set(search.beam, options.beam);
    set(search.patience, options.patience);
    set(search.length_norm, length_norm(options.length_norm));
    set(search.length_alpha, options.length_alpha);
    set(search.coverage_penalty, options.coverage_penalty);
    set(search.word_penalty, options.word_penalty);
    set(search.min_length_ratio, options.min_length_ratio);
    set(search.max_length_ratio, options.max_length_ratio);
    set(search.max_length_offset, options.max_length_offset);
    set(search.min_length, options.min_length);
    set(search.max_length, options.max_length);
    set(search.no_repeat_ngram, options.no_repeat_ngram);
    set(search.forbid_unk, options.forbid_unk);
    set(search.shortlist, options.shortlist);
    set(search.batch_size, options.batch_size);
    search.n_best = options.n_best;
    search.groups = options.groups;
    search.diversity = options.diversity;
    search.max_source_length = options.max_source_length;
    if (options.sampling) {
        search.sampling = true;
        search.temperature = options.sampling->temperature;
        search.top_k = options.sampling->top_k;
        search.top_p = options.sampling->top_p;
        search.seed = options.sampling->seed;
    }
    result.keep_attention = options.attention;
    result.keep_words = options.attention;
    result.repair = options.repair;
    return result;
}

Translator::Result to_result(const std::vector<Translation>& translations, const Tokenizer& source,
                             const Tokenizer& target) {
    Translator::Result result;
    const Translation& best = translations.front();
    if (!best.source_ids.empty()) {
        result.source_pieces = pieces_of(best.source_ids, best.source_ids.size() - 1, source);
    }
    result.source_words = best.source_words.words;
    result.grid_height = best.grid.height;
    result.grid_width = best.grid.width;
    for (const Translation& translation : translations) {
        Translator::Hypothesis hypothesis;
        hypothesis.text = translation.text;
        hypothesis.score = translation.score;
        hypothesis.log_prob = translation.log_prob;
        hypothesis.pieces = pieces_of(translation.ids, translation.ids.size(), target);
        hypothesis.token_log_probs = translation.token_log_probs;
        hypothesis.attention = translation.attention;
        hypothesis.alignment = hard_alignment(translation, AlignmentUnits::pieces);
        hypothesis.word_alignment = hard_alignment(translation, AlignmentUnits::words);
        hypothesis.words = translation.target_words.words;
        hypothesis.word_confidences = word_confidences(translation);
        hypothesis.confidence = sentence_confidence(translation);
        hypothesis.fault = name_of(translation.fault);
        hypothesis.repaired = translation.repaired;
        result.hypotheses.push_back(std::move(hypothesis));
    }
    return result;
}

Precision precision_of(const Translator::Machine& machine, const Config& config) {
    if (!machine.precision) {
        return config.runtime.precision;
    }
    switch (*machine.precision) {
        case Translator::Precision::float32:
            return Precision::float32;
        case Translator::Precision::bfloat16:
            return Precision::bfloat16;
        case Translator::Precision::int8:
            return Precision::int8;
    }
    throw TranslatorError(TranslatorError::Kind::options, "machine: the precision is none of Precision");
}

DeviceChoice device_choice(const Translator::Machine& machine, const Config& config) {
    if (!machine.device) {
        return config.runtime.device;
    }
    switch (*machine.device) {
        case Translator::Device::cpu:
            return DeviceChoice::cpu;
        case Translator::Device::cuda:
            return DeviceChoice::cuda;
        case Translator::Device::automatic:
            return DeviceChoice::automatic;
    }
    throw TranslatorError(TranslatorError::Kind::options, "machine: the device is none of Device");
}

std::int64_t requested_workers(const Translator::Machine& machine, const Config& config) {
    constexpr int most = 1024;
    if (machine.workers && (*machine.workers < 0 || *machine.workers > most)) {
        throw TranslatorError(TranslatorError::Kind::options,
                              "machine: the workers must be from 0 to " + std::to_string(most));
    }
    return machine.workers ? *machine.workers : config.runtime.workers;
}

}  // namespace softalign
