// The server over HTTP, with a small random model.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "cli/command_test.h"
#include "document/html_text.h"
#include "document/marked_text.h"
#include "serve/http_client.h"
#include "serve/http_server.h"
#include "serve/responses.h"
#include "serve/service.h"
#include "serve/translation_queue.h"
#include "translate/batch_translator.h"

namespace softalign {
namespace {

using Json = nlohmann::json;

class ServerTest : public CommandTest {
protected:
    void SetUp() override {
        if (!HttpServer::is_there()) {
            GTEST_SKIP() << "built without libmicrohttpd";
        }
        write_model(model_);
    }

    void start(const ServiceOptions& options = {}, const std::string& keys = "", std::size_t per_minute = 0) {
        server_.reset();
        service_.reset();
        std::vector<ModelName> names;
        for (const std::string& pair : pairs_) {
            names.push_back(parse_model_name(pair + "=" + model_));
        }
        models_ = std::make_unique<ServedModels>(names, ServingMachine());
        access_ = std::make_unique<Access>(keys, per_minute);
        service_ = std::make_unique<Service>(*models_, *access_, options);
        http_.address = "127.0.0.1:0";
        http_.body_bytes = 20000;
        server_ = std::make_unique<HttpServer>(
            http_,
            [this](const HttpRequest& request, const HttpServer::Answer& answer) { service_->handle(request, answer); },
            [this](const std::string& path, HttpResponse& response, double seconds) {
                service_->complete(path, response, seconds);
            });
    }

    HttpAnswer get(const std::string& path) const { return http(server_->address(), "GET", path); }
    HttpAnswer post(const std::string& path, const Json& body, const std::string& headers = "") const {
        return http(server_->address(), "POST", path, body.dump(), "Content-Type: application/json\r\n" + headers);
    }
    // The error of a request that must fail like this.
    std::string error(int status, const std::string& path, const Json& body, const std::string& headers = "") const {
        const HttpAnswer answer = post(path, body, headers);
        EXPECT_EQ(answer.status, status) << answer.body;
        return Json::parse(answer.body).value("error", "");
    }
    static Json libre(const Json& q) { return {{"q", q}, {"source", "en"}, {"target", "de"}}; }

    std::string expected(const std::string& sentence) const {
        const LoadedModel loaded = load_model(model_, at::kCPU);
        TranslateOptions options;
        options.search = loaded.config.search;
        return best_texts(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, {sentence}, options)
            .front();
    }

    const std::string model_ = folder_.path("model");
    std::vector<std::string> pairs_ = {"en:de"};
    HttpOptions http_;
    std::unique_ptr<ServedModels> models_;
    std::unique_ptr<Access> access_;
    std::unique_ptr<Service> service_;
    std::unique_ptr<HttpServer> server_;  // first to end
};

TEST_F(ServerTest, AnswersAsLibreTranslateDoes) {
    start();
    const std::string dog = expected("a dog");
    EXPECT_EQ(Json::parse(post("/translate", libre("a dog")).body), (Json{{"translatedText", dog}}));
    EXPECT_EQ(Json::parse(post("/translate", libre(Json{"a dog", ""})).body), (Json{{"translatedText", {dog, ""}}}));
    EXPECT_EQ(Json::parse(post("/translate", libre(" a dog\n\na dog \n")).body),
              (Json{{"translatedText", " " + dog + "\n\n" + dog + " \n"}}));
    Json asked = libre("a dog");
    asked["source"] = "auto";
    asked["alternatives"] = 2;
    const Json answer = Json::parse(post("/translate", asked).body);
    EXPECT_EQ(answer["detectedLanguage"]["language"], "en");
    EXPECT_EQ(answer["translatedText"], dog);
    EXPECT_LE(answer["alternatives"].size(), 2U);
    const HttpAnswer form = http(server_->address(), "POST", "/translate", "q=a+do%67&source=en&target=de",
                                 "Content-Type: application/x-www-form-urlencoded\r\n");
    EXPECT_EQ(Json::parse(form.body), (Json{{"translatedText", dog}}));
    Json variant = libre("a dog");
    variant["source"] = "EN-gb";
    variant["target"] = "de-AT";
    EXPECT_EQ(Json::parse(post("/translate", variant).body), (Json{{"translatedText", dog}}));
    variant["target"] = "den";
    EXPECT_EQ(post("/translate", variant).status, 400);
    EXPECT_EQ(
        Json::parse(get("/languages").body),
        Json::parse(R"([{"code":"en","name":"English","targets":["de"]},{"code":"de","name":"German","targets":[]}])"));
    EXPECT_FALSE(Json::parse(get("/frontend/settings").body)["keyRequired"]);
}

TEST_F(ServerTest, TextsAreTranslatedSentenceBySentence) {
    start();
    const std::string dog = expected("a dog");
    const std::string house = expected("The house is small.");
    const std::string text = " The house is small. The house is small.\n\na dog\n";
    const std::string wanted = " " + house + " " + house + "\n\n" + dog + "\n";
    const Json kept = Json::parse(post("/v1/translate", {{"text", text}, {"split", true}, {"keep_spans", true}}).body);
    EXPECT_EQ(kept["results"][0]["sentences"].size(), 3U);
    EXPECT_EQ(Json::parse(post("/translate", libre(text)).body),
              (Json{{"translatedText", kept["results"][0]["text"]}}));
    const Json answer = Json::parse(post("/v1/translate", {{"text", {text, "", "a dog"}}, {"split", true}}).body);
    ASSERT_EQ(answer["results"].size(), 3U);
    EXPECT_EQ(answer["results"][0]["source"], text);
    EXPECT_EQ(answer["results"][0]["text"], wanted);
    EXPECT_EQ(answer["results"][0]["sentences"].size(), 3U);
    EXPECT_EQ(answer["results"][0]["sentences"][2]["translations"][0]["text"], dog);
    EXPECT_EQ(answer["results"][1]["text"], "");
    EXPECT_EQ(answer["results"][2]["text"], dog);
    EXPECT_TRUE(
        has(error(400, "/v1/translate", {{"text", "a"}, {"split", true}, {"prefix", "b"}}), "single sentences"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"split", 1}}), "split must be"));
}

TEST_F(ServerTest, HtmlKeepsItsMarkup) {
    start();
    Json asked = libre("<p id=1>a dog</p>\n<!-- a dog --><pre>a dog</pre>");
    asked["format"] = "html";
    if (!reads_html()) {
        EXPECT_TRUE(has(error(400, "/translate", asked), "libgumbo"));
        return;
    }
    const std::string dog = encoded(expected("a dog"), Markup::html);
    EXPECT_EQ(Json::parse(post("/translate", asked).body)["translatedText"],
              "<p id=1>" + dog + "</p>\n<!-- a dog --><pre>a dog</pre>");
    asked["q"] = Json{"the <b>house</b> is small", "<hr>"};
    const Json texts = Json::parse(post("/translate", asked).body)["translatedText"];
    EXPECT_TRUE(has(texts[0].get<std::string>(), "<b>") && has(texts[0].get<std::string>(), "</b>"));
    EXPECT_EQ(texts[1], "<hr>");
    const Json own = Json::parse(post("/v1/translate", {{"text", "<i>a dog</i>"}, {"format", "html"}}).body);
    EXPECT_EQ(own["results"][0]["text"], "<i>" + dog + "</i>");
}

TEST_F(ServerTest, SpansAreKeptAndTermsUsed) {
    start();
    const std::string text = "a dog https://a.org/ the house";
    const auto has_once = [](const std::string& whole, const std::string& part) {
        return has(whole, part) && whole.find(part) == whole.rfind(part);
    };
    const std::string kept = Json::parse(post("/translate", libre(text)).body)["translatedText"];
    EXPECT_TRUE(has_once(kept, "https://a.org/")) << kept;
    const Json own = Json::parse(post("/v1/translate", {{"text", text}, {"keep_spans", true}}).body);
    EXPECT_EQ(own["results"][0]["text"], kept);
    const Json& sentence = own["results"][0]["sentences"][0];
    EXPECT_EQ(sentence["original"], text);
    EXPECT_EQ(sentence["translations"][0]["restored"], kept);
    const Json on = Json::parse(
        post("/v1/translate", {{"text", {text, " "}}, {"keep_spans", true}, {"prefix", {"the house", "the"}}}).body);
    const std::string forced = on["results"][0]["text"];
    EXPECT_TRUE(has_once(forced, "https://a.org/")) << forced;
    EXPECT_EQ(on["results"][0]["sentences"][0]["translations"][0]["text"].get<std::string>().rfind("the house", 0), 0U);
    EXPECT_EQ(on["results"][1]["text"], " ");
    // A sentence of spans alone is not translated, and no part of the text is missing.
    const Json parts = Json::parse(
        post("/v1/translate",
             {{"text", "a dog. https://a.org/! The house.\n\U0001F600"}, {"split", true}, {"keep_spans", true}})
            .body)["results"][0];
    std::string joined;
    for (const Json& part : parts["sentences"]) {
        const Json& best = part["translations"][0];
        joined += part.value("before", "") + best.value("restored", best["text"].get<std::string>());
    }
    EXPECT_EQ(joined + parts.value("behind", ""), parts["text"]);
    EXPECT_EQ(parts["sentences"].size(), 2U);
    EXPECT_TRUE(has(joined, " https://a.org/! ")) << joined;
    const Json both = Json::parse(
        post("/v1/translate",
             {{"text", "a dog"}, {"prefix", "the ho"}, {"glossary", Json::array({Json::array({"dog", "house"})})}})
            .body);
    EXPECT_EQ(both["results"][0]["text"].get<std::string>().rfind("the ho", 0), 0U) << both;
    EXPECT_EQ(
        post("/v1/translate", {{"text", "a"}, {"split", true}, {"prefix", nullptr}, {"phrases", Json::array()}}).status,
        200);
    const Json terms = Json::parse(
        post("/v1/translate", {{"text", "a dog"}, {"glossary", Json::array({Json::array({"dog", "the house"})})}})
            .body);
    EXPECT_TRUE(has(terms["results"][0]["text"].get<std::string>(), "the house"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"glossary", {"dog"}}}), "list of pairs"));
    EXPECT_TRUE(
        has(error(400, "/v1/translate", {{"text", "a"}, {"glossary", Json::array({Json::array({"dog", "\u2603"})})}}),
            "glossary: "));
}

TEST_F(ServerTest, SaysWhatIsWrongWithARequest) {
    start();
    const Json both = Json::array({Json::array({"dog", "the"}), Json::array({"dog", "house"})});
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"glossary", both}}), "keep one of them"));
    EXPECT_TRUE(has(http(server_->address(), "POST", "/translate", "q=a&q=b&source=en&target=de",
                         "Content-Type: Application/X-WWW-Form-URLEncoded\r\n")
                        .body,
                    "q twice"));
    EXPECT_TRUE(has(error(400, "/translate", {{"source", "en"}}), "missing q"));
    EXPECT_TRUE(has(error(400, "/translate", {{"q", "a"}, {"target", "de"}}), "missing source"));
    EXPECT_TRUE(has(error(400, "/translate", {{"q", "a"}, {"source", "en"}, {"target", "fr"}}), "fr is not supported"));
    EXPECT_TRUE(has(error(400, "/translate", {{"q", "a"}, {"source", "EN"}, {"target", "fr"}}), "fr is not supported"));
    EXPECT_TRUE(has(error(400, "/translate", {{"q", "a"}, {"source", "de"}, {"target", "en"}}), "not available"));
    const char* const form = "Content-Type: application/x-www-form-urlencoded\r\n";
    for (const char* const empty : {"", "\r\n", "&"}) {
        EXPECT_TRUE(has(http(server_->address(), "POST", "/translate", empty, form).body, "missing q"));
    }
    EXPECT_EQ(http(server_->address(), "POST", "/translate", "&q=a&&source=en&target=de&", form).status, 200);
    EXPECT_TRUE(has(error(400, "/translate", {{"q", "a"}, {"source", "auto"}, {"target", "en"}}), "not available"));
    EXPECT_TRUE(has(error(400, "/translate", {{"q", 5}, {"source", "en"}, {"target", "de"}}), "q must be"));
    Json many = libre("a");
    many["alternatives"] = 1000;
    EXPECT_TRUE(has(error(400, "/translate", many), "alternatives must be"));
    EXPECT_TRUE(has(error(400, "/translate", Json::array()), "object of JSON"));
    EXPECT_EQ(http(server_->address(), "POST", "/translate", "{\"q\":\"\xff\"}").status, 400);
    EXPECT_EQ(http(server_->address(), "POST", "/translate", "x", "Content-Type: multipart/form-data\r\n").status, 415);
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"beam", 2}}), "there is no member beam"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"options", {{"beam", 0}}}}), "beam must be"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"options", {{"beam", 2.5}}}}), "whole number"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a"}, {"options", {{"seed", 1}}}}), "no option seed"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a\nb"}}), "one line"));
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", {"a", "b"}}, {"prefix", {"x"}}}), "as many prefixes"));
    const std::string phrase =
        error(400, "/v1/translate", {{"text", {"a dog", "a cat"}}, {"phrases", {Json::array(), {"☃"}}}});
    EXPECT_EQ(phrase.rfind("sentence 2: the phrase", 0), 0U) << phrase;
    EXPECT_EQ(get("/nothing").status, 404);
    EXPECT_EQ(get("/translate").status, 405);
    EXPECT_TRUE(has(get("/translate").head, "Allow: POST"));
}

TEST_F(ServerTest, GivesWhatTheJsonOfTranslateHas) {
    start();
    const Json answer =
        Json::parse(post("/v1/translate",
                         {{"text", {"a dog", "the house is small"}}, {"attention", true}, {"options", {{"n_best", 2}}}})
                        .body);
    EXPECT_EQ(answer["model"], "en-de");
    ASSERT_EQ(answer["results"].size(), 2U);
    const Json& first = answer["results"][0];
    EXPECT_EQ(first["source"], "a dog");
    EXPECT_EQ(first["translations"][0]["text"], expected("a dog"));
    EXPECT_EQ(first["translations"].size(), 2U);
    EXPECT_EQ(first["translations"][0]["attention"].size(), first["translations"][0]["pieces"].size());
    EXPECT_TRUE(first["translations"][0].contains("alignment"));
    for (const bool wanted : {false, true}) {
        const Json kept = Json::parse(
            post("/v1/translate", {{"text", "a dog https://a.org/"}, {"keep_spans", true}, {"attention", wanted}})
                .body);
        const Json& translation = kept["results"][0]["sentences"][0]["translations"][0];
        EXPECT_EQ(translation.contains("alignment"), wanted) << translation;
        EXPECT_EQ(translation.contains("attention"), wanted) << translation;
    }
    const Json forced = Json::parse(post("/v1/translate", {{"text", "a dog"}, {"prefix", "the house"}}).body);
    EXPECT_EQ(forced["results"][0]["translations"][0]["text"].get<std::string>().rfind("the house", 0), 0U);
}

TEST_F(ServerTest, RequestsThatComeTogetherGetWhatEachWouldGetAlone) {
    ServiceOptions options;
    options.threads = 2;
    start(options);
    const std::vector<std::string> sentences = {"a dog", "the house is small", "the cat sees the dog", "a cat"};
    std::vector<std::string> wanted;
    for (const std::string& sentence : sentences) {
        wanted.push_back(Json::parse(post("/translate", libre(sentence)).body)["translatedText"]);
    }
    std::vector<std::future<std::string>> answers;
    for (std::size_t i = 0; i < 48; ++i) {
        answers.push_back(std::async(std::launch::async, [&, i] {
            const HttpAnswer answer = post("/translate", libre(sentences[i % 4]));
            return answer.status == 200 ? Json::parse(answer.body)["translatedText"].get<std::string>() : answer.body;
        }));
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i].get(), wanted[i % 4]) << i;
    }
}

TEST_F(ServerTest, LimitsHaveStatusesOfTheirOwn) {
    ServiceOptions options;
    options.most_bytes = 100;
    start(options);
    EXPECT_TRUE(has(error(413, "/translate", libre(std::string(101, 'a'))), "100 bytes"));
    EXPECT_TRUE(has(error(413, "/translate", libre(std::string(30000, 'a'))), "20000 bytes"));
    const std::string chunk = "5000\r\n" + std::string(0x5000, 'a') + "\r\n";
    EXPECT_TRUE(has(answer_to(server_->address(),
                              "POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n" +
                                  chunk + chunk + "0\r\n\r\n"),
                    "HTTP/1.1 413"));
    // A whole address is a path too.
    EXPECT_TRUE(
        has(answer_to(server_->address(), "GET http://a:5000/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 200"));
    options.patience = 0;
    start(options);
    EXPECT_TRUE(has(error(503, "/translate", libre("a dog")), "took too long"));
    options.patience = 1;
    start(options);
    // Without an end in sight: the search itself is ended.
    const Json endless{{"min_length", 100000}, {"max_length_offset", 100000}};
    EXPECT_TRUE(has(error(503, "/v1/translate", {{"text", "a dog"}, {"options", endless}}), "took too long"));
    options.most_beam = 7;
    start(options);
    EXPECT_EQ(post("/v1/translate", {{"text", "a dog"}, {"options", {{"beam", 7}}}}).status, 200);
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a dog"}, {"options", {{"beam", 8}}}}), "at most 7"));
    Json many = libre("a dog");
    many["alternatives"] = 6;
    EXPECT_EQ(post("/translate", many).status, 200);
    many["alternatives"] = 7;
    EXPECT_TRUE(has(error(400, "/translate", many), "0 to 6"));
    start({}, "", 2);
    EXPECT_EQ(post("/translate", libre("a dog")).status, 200);
    EXPECT_EQ(post("/translate", libre("a dog")).status, 200);
    EXPECT_TRUE(has(error(429, "/translate", libre("a dog")), "too many requests"));
}

// The client sends on before it reads, as most do: the connection must not be reset under it.
TEST_F(ServerTest, WhoSendsTooMuchGetsTheAnswer) {
    start();
    const std::string head = "POST /translate HTTP/1.1\r\nHost: a\r\n";
    const std::string body(500000, 'a');
    for (int i = 0; i < 20; ++i) {
        const HttpConnection declared(server_->address());
        EXPECT_TRUE(declared.send(head + "Content-Length: 500000\r\n\r\n"));
        for (std::size_t at = 0; at < body.size(); at += 50000) {
            EXPECT_TRUE(declared.send(body.substr(at, 50000)));
        }
        const std::string answer = declared.receive();
        EXPECT_TRUE(has(answer, "HTTP/1.1 413") && has(answer, "20000 bytes\"}")) << i << answer;
    }
    const HttpConnection waiting(server_->address());  // for the word to send it
    waiting.send(head + "Content-Length: 500000\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_TRUE(has(waiting.receive(), "HTTP/1.1 413"));
    const HttpConnection endless(server_->address());
    endless.send(head + "Content-Length: 1000000000\r\n\r\n");
    int sent = 0;
    while (sent < 100 && endless.send(body)) {
        ++sent;
    }
    EXPECT_LT(sent, 100);  // what is passed over has a bound
}

TEST_F(ServerTest, ItsOwnAnswersAreCountedAndHaveTheHeadersOfAll) {
    http_.arrival_seconds = 0;
    ServiceOptions options;
    options.cors = "https://a.example";
    start(options);
    const std::string head = "POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: ";
    const HttpConnection late(server_->address());
    late.send(head + "20\r\n\r\n");
    late.send(" ");
    for (const std::string& answer : {answer_to(server_->address(), head + "30000\r\n\r\n"), late.receive()}) {
        EXPECT_TRUE(has(answer, "HTTP/1.1 4")) << answer;
        EXPECT_TRUE(has(answer, "Access-Control-Allow-Origin: https://a.example\r\n")) << answer;
        EXPECT_TRUE(has(answer, "X-Content-Type-Options: nosniff\r\n") && has(answer, "application/json")) << answer;
    }
    const std::string metrics = get("/metrics").body;
    EXPECT_TRUE(has(metrics, "softalign_responses_total{path=\"/translate\",status=\"413\"} 1")) << metrics;
    EXPECT_TRUE(has(metrics, "softalign_responses_total{path=\"/translate\",status=\"408\"} 1")) << metrics;
}

// RFC 9112, 6.3.
TEST_F(ServerTest, RequestsOfUnclearLengthAreRefused) {
    start();
    const std::string body = libre("a dog").dump();
    const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const std::string chunk = "5\r\nabcde\r\n0\r\n\r\n";
    const std::string head = "POST /translate HTTP/1.1\r\nHost: a\r\n";
    const std::string next = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    for (const std::string& bytes :
         {head + length + "Content-Length: 1\r\n\r\n" + body, head + length + length + "\r\n" + body,
          head + length + "Transfer-Encoding: chunked\r\n\r\n" + chunk,
          head + "Transfer-Encoding: chunked\r\n" + length + "\r\n" + chunk,
          head + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk,
          head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
          head + "Content-Length: +5\r\n\r\nabcde", head + "Content-Length: 5, 5\r\n\r\nabcde",
          std::string("POST /translate HTTP/1.1\r\n") + length + "\r\n" + body}) {
        const std::string answer = answer_to(server_->address(), bytes + next);
        EXPECT_TRUE(has(answer, "HTTP/1.1 400")) << bytes << answer;
        EXPECT_FALSE(has(answer, "HTTP/1.1 200")) << bytes << answer;
    }
}

TEST_F(ServerTest, PagesFromElsewhereAreRefused) {
    start();
    const auto status = [this](const std::string& headers) {
        return post("/translate", libre("a dog"), headers).status;
    };
    const std::string other = "Origin: https://a.example\r\n";
    EXPECT_EQ(status(""), 200);
    EXPECT_EQ(status("Origin: http://test\r\n"), 200);  // the Host of these requests
    EXPECT_EQ(status("Origin: null\r\n"), 403);
    EXPECT_EQ(status(other), 403);
    EXPECT_EQ(status(other + "Sec-Fetch-Site: same-origin\r\n"), 200);  // behind a proxy that changes Host
    EXPECT_EQ(status("Origin: http://test\r\nSec-Fetch-Site: cross-site\r\n"), 403);
    EXPECT_TRUE(has(error(403, "/v1/translate", {{"text", "a"}}, other), "--cors"));
    ServiceOptions options;
    options.cors = "https://a.example";
    start(options);
    EXPECT_EQ(status(other), 200);
    EXPECT_EQ(status("Origin: https://b.example\r\n"), 403);
    options.cors = "*";
    start(options);
    EXPECT_EQ(status(other), 200);
    EXPECT_EQ(status("Origin: null\r\n"), 200);
}

TEST_F(ServerTest, ConnectionsBeyondTheMostAreTold) {
    http_.connections = 3;
    start();
    const std::string health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    auto first = std::make_unique<HttpConnection>(server_->address());
    const HttpConnection second(server_->address());
    const HttpConnection third(server_->address());
    for (int i = 0; i < 2; ++i) {
        for (const HttpConnection* connection : std::vector<const HttpConnection*>{first.get(), &second, &third}) {
            connection->send(health);
            EXPECT_TRUE(has(connection->receive("}"), "HTTP/1.1 200"));
        }
        const std::string refused = answer_to(server_->address(), health);  // and closed
        EXPECT_TRUE(has(refused, "HTTP/1.1 503") && has(refused, "Retry-After: 1")) << refused;
        EXPECT_TRUE(has(refused, "too many requests at once")) << refused;
        EXPECT_EQ(post("/translate", libre("a dog")).status, 503);
    }
    first.reset();
    int status = 503;
    for (int tries = 0; tries < 2000 && status == 503; ++tries) {  // until the server has seen it
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        status = post("/translate", libre("a dog")).status;
    }
    EXPECT_EQ(status, 200);
}

TEST_F(ServerTest, RequestsThatArriveHaveBoundedMemory) {
    start();
    const std::string asked = libre("a dog").dump();
    const std::string head =
        "POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n";
    const auto padded = [&](std::size_t bytes) { return asked + std::string(bytes - asked.size(), ' '); };
    std::vector<std::unique_ptr<HttpConnection>> connections;
    const auto connect = [&](const std::string& begin) {
        connections.push_back(std::make_unique<HttpConnection>(server_->address()));
        connections.back()->send(head + begin);
    };
    for (int i = 0; i < HttpOptions::bodies_at_once; ++i) {
        connect(std::string(19900, ' '));
    }
    for (int tries = 0; tries < 2000 && post("/translate", padded(10000)).status != 503; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until the server has read what they sent
    }
    for (int i = 0; i < 3; ++i) {
        connect(padded(20000));
    }
    int translated = 0;
    int refused = 0;
    // The last ones first: while the others wait, there is no room for them.
    for (auto connection = connections.rbegin(); connection != connections.rend(); ++connection) {
        if (connection - connections.rbegin() >= 3) {
            (*connection)->send(padded(100));
        }
        const std::string answer = (*connection)->receive();
        translated += has(answer, "HTTP/1.1 200") ? 1 : 0;
        refused += has(answer, "HTTP/1.1 503") ? 1 : 0;
    }
    EXPECT_EQ(translated + refused, HttpOptions::bodies_at_once + 3);
    EXPECT_GE(refused, 1);
    EXPECT_GE(translated, 1);
    EXPECT_EQ(post("/translate", libre("a dog")).status, 200);  // nothing of it is left
}

TEST_F(ServerTest, ARequestMustArriveInTime) {
    http_.arrival_seconds = 0;
    http_.idle_seconds = 1;
    start();
    const std::string head = "POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ";
    const HttpConnection late(server_->address());
    late.send(head + "20\r\n\r\n");
    late.send(std::string(20, ' '));
    EXPECT_TRUE(has(late.receive(), "HTTP/1.1 408"));
    const HttpConnection endless(server_->address());
    endless.send(head + "20000\r\n\r\n");
    int tries = 0;
    for (; tries < 2000 && endless.send(" "); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_LT(tries, 2000);
    const HttpConnection slow(server_->address());  // with its header; others that connect push it out
    for (tries = 0; tries < 2000 && slow.send("G"); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(get("/health").status, 200);
    }
    EXPECT_LT(tries, 2000);
}

TEST_F(ServerTest, KeysOpenIt) {
    start({}, folder_.write("keys", "# of friends\nsecret  a friend\n\nother\n"));
    EXPECT_TRUE(has(error(403, "/translate", libre("a dog")), "key is needed"));
    EXPECT_TRUE(
        has(error(403, "/v1/translate", {{"text", "a"}}, "Authorization: Bearer secreT\r\n"), "Invalid API key"));
    EXPECT_EQ(post("/v1/translate", {{"text", "a"}}, "Authorization: bearer  secret \t\r\n").status, 200);
    EXPECT_TRUE(has(error(403, "/translate", Json::array()), "key is needed"));
    EXPECT_TRUE(has(error(400, "/translate", Json::array(), "Authorization: Bearer secret\r\n"), "must be an object"));
    Json asked = libre("a dog");
    asked["api_key"] = "other";
    EXPECT_EQ(post("/translate", asked).status, 200);
    EXPECT_TRUE(Json::parse(get("/frontend/settings").body)["keyRequired"]);
}

TEST_F(ServerTest, WhatCannotBeReadIsCountedToo) {
    for (const std::string& keys : {std::string(), folder_.write("keys", "secret\n")}) {
        start({}, keys, 2);
        error(keys.empty() ? 400 : 403, "/translate", Json::array());
        error(keys.empty() ? 400 : 403, "/translate", Json::array());
        EXPECT_TRUE(has(error(429, "/translate", Json::array()), "too many"));
    }
}

TEST_F(ServerTest, WrongKeysAreCountedToo) {
    start({}, folder_.write("keys", "secret\n"), 2);
    for (int i = 0; i < 2; ++i) {
        error(403, "/v1/translate", {{"text", "a"}}, "Authorization: Bearer wrong" + std::to_string(i) + "\r\n");
    }
    EXPECT_TRUE(has(error(429, "/v1/translate", {{"text", "a"}}, "Authorization: Bearer other\r\n"), "too many"));
    EXPECT_EQ(post("/v1/translate", {{"text", "a"}}, "Authorization: Bearer secret\r\n").status, 200);
}

TEST_F(ServerTest, AModelThatDoesNotLoadAgainLeavesTheOneThereIs) {
    start();
    const std::string before = Json::parse(post("/translate", libre("a dog")).body)["translatedText"];
    std::filesystem::rename(weights_path(model_), folder_.path("away"));
    service_->reload();
    EXPECT_EQ(Json::parse(post("/translate", libre("a dog")).body)["translatedText"], before);
    EXPECT_TRUE(has(get("/metrics").body, "softalign_reloads_total{result=\"failure\"} 1"));
    std::filesystem::copy_file(model_ + "/other.safetensors", weights_path(model_));
    service_->reload();
    EXPECT_EQ(Json::parse(post("/translate", libre("a dog")).body)["translatedText"], expected("a dog"));
    EXPECT_TRUE(has(get("/metrics").body, "softalign_reloads_total{result=\"success\"} 1"));
}

TEST_F(ServerTest, WeightsThatAreOverwrittenInPlaceDoNoHarm) {
    start();
    const std::string before = expected("a dog");
    std::filesystem::resize_file(weights_path(model_), 0);  // as cp does before it writes
    EXPECT_EQ(Json::parse(post("/translate", libre("a dog")).body)["translatedText"], before);
    service_->reload();
    EXPECT_EQ(Json::parse(post("/translate", libre("a dog")).body)["translatedText"], before);
}

TEST_F(ServerTest, ConnectionsAreClosedWhileItStops) {
    start();
    const HttpConnection idle(server_->address());
    const HttpConnection arriving(server_->address());
    const std::string health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    const std::string asked = libre("a dog").dump();
    arriving.send("POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(asked.size()) +
                  "\r\n\r\n" + asked.substr(0, 5));
    for (int i = 0; i < 2; ++i) {  // the second one is read behind what came before on any connection
        idle.send(health);
        const std::string kept = idle.receive("}");
        EXPECT_TRUE(has(kept, "HTTP/1.1 200") && !has(kept, "Connection: close")) << kept;
    }
    EXPECT_GE(server_->drain(0.0), 1U);  // what is arriving is not answered; the end of the last response may be unseen
    idle.send(health);
    const std::string refused = idle.receive();  // until it is closed
    EXPECT_TRUE(has(refused, "HTTP/1.1 503") && has(refused, "Connection: close")) << refused;
    arriving.send(asked.substr(5));
    const std::string answered = arriving.receive();
    EXPECT_TRUE(has(answered, "HTTP/1.1 200") && has(answered, "Connection: close")) << answered;
}

TEST_F(ServerTest, TheClientLearnsOfTermsThatAreNotUsed) {
    start();
    std::string dogs;
    for (int i = 0; i < 65; ++i) {
        dogs += "dog ";
    }
    const Json terms = Json::array({Json::array({"dog", "dog"})});
    const Json answer = Json::parse(post("/v1/translate", {{"text", {dogs, "dog"}}, {"glossary", terms}}).body);
    ASSERT_EQ(answer["results"].size(), 2U) << answer;
    EXPECT_TRUE(has(answer["results"][0].value("warning", ""), "more than 64 terms")) << answer["results"][0];
    EXPECT_FALSE(answer["results"][1].contains("warning"));
}

// What is longer than 10 000 bytes is read by another thread.
TEST_F(ServerTest, LongRequestsAreAnsweredAsShortOnes) {
    ServiceOptions options;
    options.most_bytes = 15000;
    start(options);
    const std::string dog = expected("a dog");
    const std::string lines(9000, '\n');
    const Json answer = Json::parse(post("/translate", libre("a dog" + lines + "a dog")).body);
    EXPECT_EQ(answer["translatedText"], dog + lines + dog);
    const std::string words(12000, 'a');
    EXPECT_TRUE(has(error(400, "/v1/translate", {{"text", "a dog"}, {"nonsense", words}}), "nonsense"));
    EXPECT_EQ(http(server_->address(), "POST", "/translate", words, "Content-Type: application/json\r\n").status, 400);
    EXPECT_EQ(http(server_->address(), "PUT", "/translate", words, "Content-Type: application/json\r\n").status, 405);
    error(413, "/translate", libre(std::string(16000, 'a')));
}

TEST_F(ServerTest, WhatIsArrivingIsWaitedForBeforeItStops) {
    start();
    const HttpConnection idle(server_->address());
    const HttpConnection arriving(server_->address());
    const std::string health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    const std::string asked = libre("a dog").dump();
    arriving.send("POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(asked.size()) +
                  "\r\n\r\n" + asked.substr(0, 5));
    for (int i = 0; i < 2; ++i) {  // the second one is read behind what came before on any connection
        idle.send(health);
        idle.receive("}");
    }
    std::future<std::size_t> left = std::async(std::launch::async, [this] { return server_->drain(60.0); });
    std::string answer;
    while (!has(answer, "Connection: close")) {  // until it has begun to stop; the runner ends what waits for ever
        idle.send(health);
        answer = idle.receive("}");
        ASSERT_FALSE(answer.empty());
    }
    EXPECT_EQ(left.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    arriving.send(asked.substr(5));
    EXPECT_TRUE(has(arriving.receive(), "HTTP/1.1 200"));
    EXPECT_EQ(left.get(), 0U);
}

TEST_F(ServerTest, WhatHasArrivedIsAnsweredBeforeItStops) {
    start();
    std::vector<std::future<HttpAnswer>> answers;
    for (int i = 0; i < 8; ++i) {
        answers.push_back(std::async(std::launch::async, [&] {
            return post("/translate", libre("a dog\nthe house is small\na cat\nthe cat sees the dog"));
        }));
    }
    // All have been handled once the metrics have seen their sentences.
    for (int tries = 0; tries < 2000 && !has(get("/metrics").body, "softalign_accepted_sentences_total 32"); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(server_->drain(60.0), 0U);
    for (auto& answer : answers) {
        EXPECT_EQ(answer.get().status, 200);
    }
    EXPECT_EQ(get("/health").status, 0);  // nobody listens any more
}

TEST_F(ServerTest, TheEndOfTheQueueDropsWhatIsLeft) {
    const ServedModels models({parse_model_name("en-de=" + model_)}, ServingMachine());
    std::atomic<int> batches{0};
    std::atomic<int> dropped{0};
    {
        TranslationQueue queue(1, 100, [&](std::size_t) { ++batches; });
        for (int i = 0; i < 2; ++i) {
            const auto job = std::make_shared<TranslationJob>();
            job->model = models.all().front();
            job->options.search = job->model->search();
            job->options.search.batch_size = 1;
            job->options.search.min_length = 100000;
            job->options.search.max_length_offset = 100000;
            job->sentences = {{"a dog", "", {}}, {"a cat", "", {}}};
            job->deadline = std::chrono::steady_clock::time_point::max();
            job->done = [&](const TranslationJob& done) { dropped += done.failure != nullptr ? 1 : 0; };
            ASSERT_TRUE(queue.add(job));
        }
        while (batches == 0) {
            std::this_thread::yield();
        }
    }
    EXPECT_EQ(dropped, 2);
    EXPECT_EQ(batches, 1);
}

TEST_F(ServerTest, ACodeFindsItsLanguageOrTheOnlyVariant) {
    std::vector<ModelName> names;
    for (const std::string pair : {"en:pt", "en:pt-BR", "en:zh-Hans", "en:zh-Hant", "en-GB:fr"}) {
        names.push_back(parse_model_name(pair + "=" + model_));
    }
    const ServedModels models(names, ServingMachine());
    const auto target = [&](const std::string& from, const std::string& to) {
        const ServedModels::Model found = models.find(from, to);
        return found != nullptr ? found->name().target : "none";
    };
    EXPECT_EQ(target("EN", "PT"), "pt");
    EXPECT_EQ(target("en", "pt-br"), "pt-BR");
    EXPECT_EQ(target("en-US", "pt-PT"), "pt");
    EXPECT_EQ(target("en", "zh"), "none");
    EXPECT_EQ(target("en", "zh-hant"), "zh-Hant");
    EXPECT_EQ(target("en", "fr"), "fr");
    EXPECT_EQ(target("", "fr-CA"), "fr");
    EXPECT_EQ(target("en", ""), "none");
    EXPECT_EQ(target("en-GB", ""), "fr");
    EXPECT_EQ(target("e", "pt"), "none");
}

TEST_F(ServerTest, AMessageKnowsVariantsOfLanguages) {
    pairs_ = {"en:zh-Hans", "en:zh-Hant", "de:en"};
    start();
    const auto message = [this](const char* source, const char* target) {
        return error(400, "/translate", {{"q", "a"}, {"source", source}, {"target", target}});
    };
    EXPECT_TRUE(has(message("en", "zh"), "several models fit"));
    EXPECT_TRUE(has(message("EN-us", "fr"), "fr is not supported"));
    EXPECT_TRUE(has(message("de-AT", "zh"), "zh (Chinese) is not available as a target language from de-AT"));
}

TEST_F(ServerTest, WhatWaitsTooLongEndsWhileAllThreadsTranslate) {
    const ServedModels models({parse_model_name("en-de=" + model_)}, ServingMachine());
    std::promise<void> expired;
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    std::atomic<bool> is_busy{false};
    const auto add = [&](TranslationQueue& queue, std::chrono::milliseconds patience,
                         std::function<void(TranslationJob&)> done) {
        const auto job = std::make_shared<TranslationJob>();
        job->model = models.all().front();
        job->options.search = job->model->search();
        job->sentences = {{"a dog", "", {}}};
        job->deadline = std::chrono::steady_clock::now() + patience;
        job->done = std::move(done);
        ASSERT_TRUE(queue.add(job));
    };
    TranslationQueue queue(1, 100, [&](std::size_t) {
        is_busy = true;
        released.wait();
    });
    add(queue, std::chrono::minutes(1), [](TranslationJob&) {});
    while (!is_busy) {
        std::this_thread::yield();
    }
    add(queue, std::chrono::minutes(10), [](TranslationJob&) {});  // what waits longer is no reason to sleep until then
    add(queue, std::chrono::milliseconds(1), [&](TranslationJob& job) {
        EXPECT_THROW(std::rethrow_exception(job.failure), Expired);
        expired.set_value();
    });
    EXPECT_EQ(expired.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
    EXPECT_EQ(queue.waiting(), 1U);
    release.set_value();
}

// Such as for lack of memory. Others go on.
TEST_F(ServerTest, AResponseThatCannotBeMadeEndsNothing) {
    const ServedModels models({parse_model_name("en-de=" + model_)}, ServingMachine());
    const auto job_of = [&](const std::function<void(TranslationJob&)>& done) {
        const auto job = std::make_shared<TranslationJob>();
        job->model = models.all().front();
        job->options.search = job->model->search();
        job->sentences = {{"a dog", "", {}}};
        job->deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        job->done = done;
        return job;
    };
    std::promise<void> ended;
    TranslationQueue queue(1, 100, [](std::size_t) {});
    EXPECT_TRUE(queue.add(job_of([](TranslationJob&) { throw std::bad_alloc(); })));
    EXPECT_TRUE(queue.add(job_of([&](TranslationJob&) { ended.set_value(); })));
    EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_F(ServerTest, AHandlerThatThrowsIsAnswered) {
    http_.address = "127.0.0.1:0";
    const HttpServer server(
        http_,
        [](const HttpRequest& request, const HttpServer::Answer& /*answer*/) {
            if (request.path == "/memory") {
                throw std::bad_alloc();
            }
            throw std::logic_error("a");
        },
        [](const std::string& /*path*/, HttpResponse& /*response*/, double /*seconds*/) {});
    EXPECT_EQ(http(server.address(), "GET", "/memory").status, 503);
    EXPECT_EQ(http(server.address(), "GET", "/other").status, 500);
}

TEST_F(ServerTest, AFailureHasTheStatusOfItsKind) {
    const auto status = [](const auto& error) { return failure_response(std::make_exception_ptr(error)).status; };
    EXPECT_EQ(status(std::bad_alloc()), 503);
    EXPECT_EQ(status(Expired()), 503);
    EXPECT_EQ(status(Error(ExitCode::data, "a")), 400);
    EXPECT_EQ(status(Error(ExitCode::internal, "a")), 500);
    EXPECT_EQ(status(std::logic_error("a")), 500);
}

TEST_F(ServerTest, WhatIsNoHttpIsTurnedAway) {
    start();
    const std::string host = "\r\nHost: a\r\n";
    for (const std::string& bytes :
         {std::string("rubbish\r\n\r\n"), "GET " + std::string(50000, 'a') + " HTTP/1.1" + host + "\r\n",
          "GET / HTTP/1.1" + host + "X: " + std::string(50000, 'a') + "\r\n\r\n",
          "POST /translate HTTP/1.1" + host + "Content-Length: -5\r\n\r\n",
          "POST /translate HTTP/1.1" + host + "Content-Length: 99999999999999999999999\r\n\r\n"}) {
        const std::string answer = answer_to(server_->address(), bytes);
        EXPECT_FALSE(has(answer, "HTTP/1.1 200")) << bytes.substr(0, 40) << answer.substr(0, 100);
    }
    EXPECT_EQ(get("/health").status, 200);
    // One after another on a connection: both are answered.
    const std::string two =
        answer_to(server_->address(),
                  "GET /health HTTP/1.1" + host + "\r\nGET /languages HTTP/1.1" + host + "Connection: close\r\n\r\n");
    EXPECT_TRUE(has(two, "\"status\":\"ok\"") && has(two, "English")) << two;
}

TEST_F(ServerTest, AddressesThatCannotBeAreNamed) {
    for (const std::string address :
         {"5000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:50", "203.0.113.9:1"}) {
        HttpOptions options;
        options.address = address;
        try {
            HttpServer server(
                options, [](const HttpRequest&, const HttpServer::Answer&) {},
                [](const std::string&, HttpResponse&, double) {});
            ADD_FAILURE() << address;
        } catch (const Error& error) {
            const bool is_well_formed = address == "203.0.113.9:1";  // an address of another machine
            EXPECT_EQ(error.code(), is_well_formed ? ExitCode::processes : ExitCode::usage) << address;
            EXPECT_TRUE(has(error.what(), "--listen " + address)) << error.what();
        }
    }
}

}  // namespace
}  // namespace softalign
