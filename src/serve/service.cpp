#include "serve/service.h"

#include <spdlog/spdlog.h>
#include <unicode/uloc.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "platform/memory_reserve.h"
#include "serve/assets.h"
#include "serve/error_responses.h"
#include "serve/origin.h"
#include "serve/requests.h"
#include "serve/responses.h"

namespace softalign {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_bytes_to_read = std::size_t{64} << 20;  // of long requests

// The page takes everything from this server, and nobody may frame it.
const char* const content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri "
    "'none'; form-action 'none'; frame-ancestors 'none'";

// "German" for "de"; the code where ICU knows none.
std::string language_name(const std::string& code) {
    std::array<UChar, 100> name{};
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t length = uloc_getDisplayName(code.c_str(), "en", name.data(), name.size(), &status);
    std::string text;
    icu::UnicodeString(name.data(), std::min<std::int32_t>(length, name.size())).toUTF8String(text);
    return U_FAILURE(status) || text.empty() ? code : text;
}

HttpResponse asset(std::string_view text, const char* type) {
    return {200, type, std::string(text), {{"Content-Security-Policy", content_policy}, {"Cache-Control", "no-cache"}}};
}

// Of the header; empty where it has none.
std::string key_of(const HttpRequest& request) {
    const std::string bearer = "bearer ";
    const std::string given = request.header("authorization");
    const std::size_t key = given.find_first_not_of(" \t", bearer.size());
    return starts_with(lower_ascii(given), bearer) && key != std::string::npos
               ? given.substr(key, given.find_last_not_of(" \t") + 1 - key)
               : "";
}

// Of a job that is done. Making a response takes memory too.
template <typename Make>
HttpResponse response_of(const TranslationJob& job, const Make make) {
    std::exception_ptr failure = job.failure;
    if (failure == nullptr) {
        try {
            return make();
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
    }
    return failure_response(failure);
}

}  // namespace

Service::Service(ServedModels& models, Access& access, const ServiceOptions& options)
    : models_(models),
      access_(access),
      options_(options),
      routes_(routes()),
      queue_(options.threads, static_cast<std::size_t>(options.most_waiting),
             [this](std::size_t sentences) { statistics_.count_batch(sentences); }),
      reader_(most_bytes_to_read) {}

std::map<std::string, Service::Route> Service::routes() {
    const auto get = [](auto make) {
        return Route{"GET", [make](const HttpRequest&, const Respond& respond) { respond(make()); }};
    };
    const auto json = [get](auto make) {
        return get([make] { return HttpResponse{200, "application/json", std::string(make())}; });
    };
    return {{"/", get([] { return asset(serve_page_html(), "text/html; charset=utf-8"); })},
            {"/assets/page.css", get([] { return asset(serve_page_css(), "text/css; charset=utf-8"); })},
            {"/assets/page.js", get([] { return asset(serve_page_js(), "text/javascript; charset=utf-8"); })},
            {"/openapi.json", json([] { return serve_openapi(); })},
            {"/health", get([this] { return health(); })},
            {"/metrics", get([this] {
                 return HttpResponse{200, "text/plain; version=0.0.4", statistics_.text(queue_.waiting())};
             })},
            {"/languages", json([this] { return languages(); })},
            {"/frontend/settings", json([this] { return settings(); })},
            {"/v1/models", json([this] { return models(); })},
            {"/v1/translate",
             {"POST", [this](const HttpRequest& request, const Respond& respond) { translate(request, respond); }}},
            {"/translate", {"POST", [this](const HttpRequest& request, const Respond& respond) {
                                libretranslate(request, respond);
                            }}}};
}

void Service::handle(const HttpRequest& request, const HttpServer::Answer& answer) {
    MemoryReserve::refill();
    const Clock::time_point began = Clock::now();
    const Respond respond = [this, path = request.path, began, answer](HttpResponse response) {
        complete(path, response, std::chrono::duration<double>(Clock::now() - began).count());
        answer(std::move(response));
    };
    // What is longer would hold up all connections, since this is their thread.
    constexpr std::size_t most_read_here = 10000;
    if (request.body.size() <= most_read_here) {
        return this->answer(request, respond);
    }
    if (!reader_.add(request.body.size(), [this, request, respond] { this->answer(request, respond); })) {
        respond(try_again("too many long requests wait; try again"));
    }
}

void Service::complete(const std::string& path, HttpResponse& response, double seconds) {
    if (!options_.cors.empty()) {
        response.headers.emplace_back("Access-Control-Allow-Origin", options_.cors);
    }
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    statistics_.count_response(routes_.count(path) > 0 ? path : "other", response.status, seconds);
}

void Service::answer(const HttpRequest& request, const Respond& respond) {
    try {
        route(request, respond);
    } catch (const RequestError& error) {
        HttpResponse response = error_response(error.status(), error.what());
        if (error.retry_after() > 0) {
            response.headers.emplace_back("Retry-After", std::to_string(error.retry_after()));
        }
        respond(std::move(response));
    } catch (const std::exception&) {
        respond(failure_response(std::current_exception()));
    }
}

void Service::route(const HttpRequest& request, const Respond& respond) {
    const auto found = routes_.find(request.path);
    if (found == routes_.end()) {
        return respond(
            error_response(404, "there is no such path; /openapi.json describes the interfaces, and the page is at /"));
    }
    const Route& route = found->second;
    if (request.method == "OPTIONS" && !options_.cors.empty()) {
        HttpResponse response{204, "text/plain", ""};
        response.headers = {{"Access-Control-Allow-Methods", route.method},
                            {"Access-Control-Allow-Headers", "Content-Type, Authorization"}};
        return respond(response);
    }
    if (request.method != route.method && !(request.method == "HEAD" && route.method == "GET")) {
        HttpResponse response = error_response(405, "the method must be " + route.method);
        response.headers.emplace_back("Allow", route.method);
        return respond(response);
    }
    route.answer(request, respond);
}

void Service::admit(const HttpRequest& request, const std::string& key) {
    if (options_.cors != "*" && request.header("origin") != options_.cors && is_from_elsewhere(request)) {
        throw RequestError(403, "pages of this origin may not use the server; --cors names the one whose pages may");
    }
    const bool has_key = access_.needs_key() && access_.knows(key);
    if (const auto wait = access_.count(has_key ? key : request.client)) {
        throw RequestError(429, "Slowdown: too many requests; try again in " + std::to_string(*wait) + " s", *wait);
    }
    if (access_.needs_key() && !has_key) {
        throw RequestError(403, key.empty() ? "an API key is needed" : "Invalid API key");
    }
}

ServedModels::Model Service::model_of(const std::string& source, const std::string& target) const {
    if (const ServedModels::Model model = models_.find(source, target)) {
        return model;
    }
    const auto all = models_.all();
    for (const std::string& code : {source, target}) {
        const bool is_known = std::any_of(all.begin(), all.end(), [&](const auto& model) {
            return is_variant_of(code, model->name().source) || is_variant_of(code, model->name().target);
        });
        if (!is_known) {
            throw RequestError(400, code + " is not supported");
        }
    }
    const auto fits = [&](const auto& model) {
        return is_variant_of(source, model->name().source) && is_variant_of(target, model->name().target);
    };
    if (std::any_of(all.begin(), all.end(), fits)) {
        throw RequestError(400, "several models fit; name the languages of both sides as /languages lists them");
    }
    const std::string from = source.empty() ? "" : " from " + source + " (" + language_name(source) + ")";
    throw RequestError(
        400, target.empty() ? "no model translates" + from
                            : target + " (" + language_name(target) + ") is not available as a target language" + from);
}

void Service::start(std::shared_ptr<TranslationJob> job) {
    job->deadline = Clock::now() + std::chrono::seconds(options_.patience);
    std::size_t bytes = 0;
    for (const TranslationRequest& sentence : job->sentences) {
        bytes += sentence.text.size();
    }
    const std::size_t sentences = job->sentences.size();
    job->done = [this, bytes, done = std::move(job->done)](TranslationJob& finished) {
        if (finished.failure == nullptr) {
            statistics_.count_translated(finished.sentences.size(), bytes);
        }
        done(finished);
    };
    if (!queue_.add(std::move(job))) {
        throw RequestError(503, "too many sentences wait; try again", 1);
    }
    statistics_.count_accepted(sentences);
}

std::int64_t Service::most_beam(const ServedModel& model) const {
    return std::max(options_.most_beam, model.search().beam);
}

Service::Documents Service::read(const std::vector<TranslationRequest>& texts, TextForm form, TranslationJob& job) {
    form.constrains = takes_phrases(job.options.search);
    const auto documents = std::make_shared<std::vector<SourceDocument>>();
    try {
        for (const TranslationRequest& text : texts) {
            documents->push_back(job.model->read(text, form));
            const std::vector<TranslationRequest>& sentences = documents->back().requests();
            job.sentences.insert(job.sentences.end(), sentences.begin(), sentences.end());
        }
    } catch (const Error& error) {
        throw RequestError(400, error.what());
    }
    if (std::any_of(documents->begin(), documents->end(), [](const auto& text) { return text.needs_links(); })) {
        job.options.keep_words = true;
        job.options.keep_attention = job.model->ensemble().has_attention();
        job.options_key += " links";
    }
    return documents;
}

void Service::libretranslate(const HttpRequest& request, const Respond& respond) {
    const std::string key = key_of(request);
    admit(request, key.empty() && access_.needs_key() ? key_in_body(request) : key);
    const LibreRequest asked = libre_request(request, static_cast<std::size_t>(options_.most_bytes));
    const auto job = std::make_shared<TranslationJob>();
    job->model = model_of(asked.source, asked.target);
    job->options.search = job->model->search();
    job->options.search.n_best = static_cast<std::int64_t>(asked.alternatives) + 1;
    if (const std::int64_t most = most_beam(*job->model); job->options.search.n_best > most) {
        throw RequestError(400, "alternatives must be a whole number, 0 to " + std::to_string(most - 1));
    }
    job->options.search.beam = std::max(job->options.search.beam, job->options.search.n_best);
    job->options_key = "alternatives " + std::to_string(asked.alternatives);
    const Documents texts = read(asked.texts, {true, asked.markup, true, nullptr}, *job);
    job->done = [asked, texts, respond](TranslationJob& done) {
        respond(response_of(done, [&] { return libre_response(asked, *texts, done); }));
    };
    if (asked.texts.empty()) {
        return respond(json_response({{"translatedText", Json::array()}}));
    }
    start_or_finish(job);
}

void Service::translate(const HttpRequest& request, const Respond& respond) {
    admit(request, key_of(request));
    OwnRequest asked = own_request(request, static_cast<std::size_t>(options_.most_bytes));
    const auto job = std::make_shared<TranslationJob>();
    job->model = model_of(asked.source, asked.target);
    const bool has_attention = job->model->ensemble().has_attention();
    if (asked.attention && !has_attention) {
        throw RequestError(400, "this model has no attention to show");
    }
    job->options.search = search_of(job->model->search(), asked.options);
    if (const std::int64_t most = most_beam(*job->model); job->options.search.beam > most) {
        throw RequestError(400, "options: beam must be at most " + std::to_string(most));
    }
    job->options.keep_attention = asked.attention;
    job->options.keep_words = true;
    job->options.repair = asked.repair;
    job->options_key = asked.options + (asked.attention ? "attention" : "") + (asked.repair ? " repair" : "");
    try {
        check_options(job->options, has_attention);
    } catch (const Error& error) {
        throw RequestError(400, error.what());
    }
    Glossary glossary;
    for (const auto& [term, translation] : asked.glossary) {
        try {
            glossary.add(term, translation, job->model->ensemble().target());
        } catch (const Error& error) {
            throw RequestError(400, std::string("glossary: ") + error.what());
        }
    }
    if (!asked.glossary.empty()) {
        job->options.whole_words = job->model->whole_words();
        job->options_key += " whole words";
    }
    const TextForm form{asked.split, asked.markup, asked.keep_spans, &glossary};
    const Documents texts = asked.has_documents() ? read(asked.sentences, form, *job) : nullptr;
    if (texts == nullptr) {
        job->sentences = std::move(asked.sentences);
    }
    job->done = [respond, texts, attention = asked.attention](TranslationJob& done) {
        respond(response_of(done, [&] {
            return texts != nullptr ? own_response(*texts, done, attention) : own_response(done, attention);
        }));
    };
    start_or_finish(job);
}

void Service::start_or_finish(const std::shared_ptr<TranslationJob>& job) {
    if (job->sentences.empty()) {
        job->done(*job);
    } else {
        start(job);
    }
}

// As LibreTranslate lists them: each source with the targets there are.
std::string Service::languages() const {
    std::vector<std::string> codes;
    std::map<std::string, std::vector<std::string>> targets;
    const auto see = [&](const std::string& code) {
        if (targets.try_emplace(code).second) {
            codes.push_back(code);
        }
    };
    for (const auto& model : models_.all()) {
        see(model->name().source);
        see(model->name().target);
        targets[model->name().source].push_back(model->name().target);
    }
    Json list = Json::array();
    for (const std::string& code : codes) {
        list.push_back({{"code", code}, {"name", language_name(code)}, {"targets", targets[code]}});
    }
    return json_text(list);
}

std::string Service::models() const {
    Json list = Json::array();
    for (const auto& model : models_.all()) {
        const ModelName& name = model->name();
        list.push_back({{"model", name.pair()},
                        {"source", {{"code", name.source}, {"name", language_name(name.source)}}},
                        {"target", {{"code", name.target}, {"name", language_name(name.target)}}},
                        {"beam", model->search().beam},
                        {"most_beam", most_beam(*model)},
                        {"attention", model->ensemble().has_attention()},
                        {"prefixes", !model->ensemble().reverse_target()}});
    }
    return json_text(list);
}

// What clients of LibreTranslate ask for.
std::string Service::settings() const {
    const ModelName name = models_.all().front()->name();
    const auto language = [](const std::string& code) { return Json{{"code", code}, {"name", language_name(code)}}; };
    return json_text(Json{{"apiKeys", access_.needs_key()},
                          {"keyRequired", access_.needs_key()},
                          {"charLimit", options_.most_bytes},
                          {"frontendTimeout", 300},
                          {"language", {{"source", language(name.source)}, {"target", language(name.target)}}},
                          {"suggestions", false},
                          {"filesTranslation", false},
                          {"supportedFilesFormat", Json::array()}});
}

HttpResponse Service::health() const {
    return json_response({{"status", "ok"}, {"version", version()}, {"models", models_.all().size()}});
}

void Service::reload() {
    const std::size_t wanted = models_.all().size();
    bool worked = models_.reload() == wanted;
    try {
        access_.reload();
    } catch (const Error& error) {
        spdlog::error("{}; the present keys stay", error.what());
        worked = false;
    }
    statistics_.count_reload(worked);
}

}  // namespace softalign
