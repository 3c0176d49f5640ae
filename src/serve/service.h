#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/access.h"
#include "serve/http_server.h"
#include "serve/served_model.h"
#include "serve/server_statistics.h"
#include "serve/task_thread.h"
#include "serve/translation_queue.h"
#include "translate/document_reader.h"

namespace softalign {

struct ServiceOptions {
    int threads = 1;                   // that translate
    std::int64_t most_waiting = 4096;  // sentences; requests beyond them are answered with 503
    std::int64_t most_bytes = 10000;   // bytes of UTF-8 that the texts of a request may have
    std::int64_t most_beam = 32;       // that a request may ask for; a model whose own beam is wider keeps it
    std::int64_t patience = 60;        // seconds that a request may take before it is answered with 503
    std::string cors;                  // the origin whose pages may ask, or "*"; empty: none but the server's own
};

// What the server answers: LibreTranslate's interface, an interface of its own under /v1, the page, health and metrics.
// docs/serve.md describes them.
class Service {
public:
    // REQUIRES: `models` and `access` outlive this.
    Service(ServedModels& models, Access& access, const ServiceOptions& options);

    // For HttpServer. Throws nothing that a client can cause.
    void handle(const HttpRequest& request, const HttpServer::Answer& answer);

    // For HttpServer: counts a response, and adds the headers that all have.
    void complete(const std::string& path, HttpResponse& response, double seconds);

    // Loads models and keys again; what does not load is logged and stays as it was.
    void reload();

private:
    using Respond = std::function<void(HttpResponse)>;

    struct Route {
        std::string method;
        std::function<void(const HttpRequest& request, const Respond& respond)> answer;
    };

    // Throws nothing that a client can cause.
    void answer(const HttpRequest& request, const Respond& respond);
    void route(const HttpRequest& request, const Respond& respond);
    std::map<std::string, Route> routes();
    // Throws RequestError for pages from elsewhere, and for who has no key or asks too often.
    void admit(const HttpRequest& request, const std::string& key);
    void libretranslate(const HttpRequest& request, const Respond& respond);
    void translate(const HttpRequest& request, const Respond& respond);
    std::int64_t most_beam(const ServedModel& model) const;
    // The texts, whose sentences become those of the job. One with a prefix or phrases is a single sentence. Throws
    // RequestError.
    using Documents = std::shared_ptr<const std::vector<SourceDocument>>;
    static Documents read(const std::vector<TranslationRequest>& texts, TextForm form, TranslationJob& job);
    void start(std::shared_ptr<TranslationJob> job);
    // Without sentences, a job is done.
    void start_or_finish(const std::shared_ptr<TranslationJob>& job);
    ServedModels::Model model_of(const std::string& source, const std::string& target) const;
    std::string languages() const;
    std::string models() const;
    std::string settings() const;
    HttpResponse health() const;

    ServedModels& models_;
    Access& access_;
    const ServiceOptions options_;
    const std::map<std::string, Route> routes_;  // by their paths
    ServerStatistics statistics_;
    TranslationQueue queue_;  // its threads end before what is above
    TaskThread reader_;       // of long requests; ends before the queue
};

}  // namespace softalign
