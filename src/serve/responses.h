#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <vector>

#include "serve/http_server.h"
#include "serve/requests.h"
#include "serve/translation_queue.h"
#include "translate/document_reader.h"

namespace softalign {

HttpResponse json_response(const nlohmann::ordered_json& json, int status = 200);

// What is wrong with a request that could not be read or translated, or whose response could not be made.
HttpResponse failure_response(const std::exception_ptr& failure);

// LibreTranslate's. REQUIRES: the sentences of the job are those of the texts, one after another.
HttpResponse libre_response(const LibreRequest& asked, const std::vector<SourceDocument>& texts,
                            const TranslationJob& job);

// Of /v1/translate: an object for each sentence of the job, or for each text whose sentences they are.
HttpResponse own_response(const TranslationJob& job, bool attention);
HttpResponse own_response(const std::vector<SourceDocument>& texts, const TranslationJob& job, bool attention);

}  // namespace softalign
