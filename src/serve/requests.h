#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "document/marked_text.h"
#include "serve/http_server.h"
#include "translate/sentence_encoder.h"

namespace softalign {

// What a client did wrong, with the status that says so.
class RequestError : public std::exception {
public:
    RequestError(int status, std::string message, std::size_t retry_after = 0)
        : status_(status), message_(std::move(message)), retry_after_(retry_after) {}
    const char* what() const noexcept override { return message_.c_str(); }
    int status() const { return status_; }
    std::size_t retry_after() const { return retry_after_; }  // seconds; 0: not said

private:
    int status_;
    std::string message_;
    std::size_t retry_after_;
};

// LibreTranslate's /translate.
struct LibreRequest {
    std::vector<TranslationRequest> texts;
    bool is_list = false;  // whether q was a list, so that the response is lists
    std::string source;    // empty for "auto"
    std::string target;
    Markup markup = Markup::none;
    std::size_t alternatives = 0;
};

// The API key that the body of a request has; empty where it has none or cannot be read.
std::string key_in_body(const HttpRequest& request);

// From JSON or a form. Throws RequestError, also where the texts have more than `most_bytes` together.
LibreRequest libre_request(const HttpRequest& request, std::size_t most_bytes);

// /v1/translate.
struct OwnRequest {
    std::vector<TranslationRequest> sentences;  // or whole texts, with `split`
    bool split = false;                         // divide them into sentences
    Markup markup = Markup::none;               // of the texts
    std::optional<bool> keep_spans;             // URLs and so on; none: as a DocumentReader has it
    std::vector<std::pair<std::string, std::string>> glossary;
    std::string source;
    std::string target;
    std::string options;  // an object of JSON: of the search, by the names of the configuration
    bool attention = false;
    bool repair = false;  // translations that repeat themselves or copy their source

    // Whether a text is more than a sentence that is translated as it is.
    bool has_documents() const { return split || keep_spans.value_or(false) || !glossary.empty(); }
};

// Throws RequestError, also where the sentences, each with its prefix and phrases, have more than `most_bytes`
// together.
OwnRequest own_request(const HttpRequest& request, std::size_t most_bytes);

// The search with the options of a request, an object of JSON. Throws RequestError, naming the option.
SearchConfig search_of(const SearchConfig& defaults, const std::string& options);

}  // namespace softalign
