#include "serve/responses.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_object_text.h"
#include "base/strings.h"
#include "serve/error_responses.h"
#include "translate/document_translator.h"
#include "translate/format.h"

namespace softalign {

namespace {

using OrderedJson = nlohmann::ordered_json;
using Found = std::vector<std::vector<Translation>>;

// The translations of the sentences of each text.
std::vector<Found> found_in(const std::vector<SourceDocument>& texts, const TranslationJob& job) {
    std::vector<Found> found;
    auto next = job.results.begin();
    for (const SourceDocument& text : texts) {
        const auto end = next + static_cast<std::ptrdiff_t>(text.requests().size());
        found.emplace_back(next, end);
        next = end;
    }
    return found;
}

// With the k-th of the translations of each sentence, or the last one where there are fewer.
std::string joined(const SourceDocument& text, const Found& found, std::size_t k) {
    std::vector<const Translation*> translations;
    for (const std::vector<Translation>& sentence : found) {
        translations.push_back(&sentence[std::min(k, sentence.size() - 1)]);
    }
    return text.joined(translations);
}

std::string own_text(const TranslationJob& job, const std::vector<std::string>& lines) {
    JsonObjectText json;
    json.add("model", OrderedJson(job.model->name().pair()));
    json.add_text("results", json_list_text(lines));
    return json.text();
}

TokenizerPair tokenizers_of(const TranslationJob& job) {
    return {job.model->ensemble().source(), job.model->ensemble().target()};
}

}  // namespace

HttpResponse json_response(const OrderedJson& json, int status) {
    return {status, "application/json", json_text(json)};
}

HttpResponse failure_response(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Expired& expired) {
        return try_again(expired.what());
    } catch (const Error& error) {
        const bool of_request = error.code() == ExitCode::data || error.code() == ExitCode::configuration ||
                                error.code() == ExitCode::usage;
        if (!of_request) {
            spdlog::error("{}", error.what());
        }
        return error_response(of_request ? 400 : 500, error.what());
    } catch (const std::exception& error) {
        spdlog::error("{}", error.what());
        return server_fault(error);
    }
}

HttpResponse libre_response(const LibreRequest& asked, const std::vector<SourceDocument>& texts,
                            const TranslationJob& job) {
    std::vector<std::string> best;
    std::vector<std::string> others;
    const std::vector<Found> found = found_in(texts, job);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        best.push_back(json_text(OrderedJson(joined(texts[i], found[i], 0))));
        std::vector<std::string> alternatives;
        for (std::size_t k = 1; !found[i].empty() && k <= asked.alternatives; ++k) {
            std::string other = json_text(OrderedJson(joined(texts[i], found[i], k)));
            const bool is_new = other != best.back() &&
                                std::find(alternatives.begin(), alternatives.end(), other) == alternatives.end();
            if (is_new) {
                alternatives.push_back(std::move(other));
            }
        }
        others.push_back(json_list_text(alternatives));
    }
    const auto listed = [&asked](const std::vector<std::string>& values) {
        return asked.is_list ? json_list_text(values) : values.front();
    };
    JsonObjectText response;
    if (asked.source.empty()) {
        JsonObjectText language;
        language.add("confidence", OrderedJson(100));
        language.add("language", OrderedJson(job.model->name().source));
        response.add_text("detectedLanguage", listed(std::vector<std::string>(texts.size(), language.text())));
    }
    response.add_text("translatedText", listed(best));
    if (asked.alternatives > 0) {
        response.add_text("alternatives", listed(others));
    }
    return {200, "application/json", response.text()};
}

HttpResponse own_response(const TranslationJob& job, bool attention) {
    std::vector<std::string> lines;
    for (const std::vector<Translation>& found : job.results) {
        lines.push_back(sentence_line(static_cast<std::int64_t>(lines.size()), found, tokenizers_of(job), attention));
    }
    return {200, "application/json", own_text(job, lines)};
}

HttpResponse own_response(const std::vector<SourceDocument>& texts, const TranslationJob& job, bool attention) {
    std::vector<std::string> lines;
    std::vector<Found> found = found_in(texts, job);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        TranslatedParagraph paragraph{texts[i].text(), {}, texts[i].restored(found[i]), texts[i].warning()};
        for (std::vector<Translation>& sentence : found[i]) {
            for (Translation& translation : sentence) {
                translation.attention = attention ? std::move(translation.attention) : AlignmentWeights();
            }
        }
        paragraph.sentences = std::move(found[i]);
        lines.push_back(paragraph_line(static_cast<std::int64_t>(i), paragraph, tokenizers_of(job), attention));
    }
    return {200, "application/json", own_text(job, lines)};
}

}  // namespace softalign
