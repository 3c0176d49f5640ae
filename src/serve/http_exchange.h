#pragma once

#include <microhttpd.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "serve/http_server.h"

namespace softalign {

// libmicrohttpd's functions have had a type of their own for this since 0.9.71.
#if MHD_VERSION >= 0x00097002
using MhdResult = MHD_Result;
#else
using MhdResult = int;
#endif

MHD_socket socket_of(MHD_Connection* connection);

// `last`: the connection is closed after it.
MhdResult queue_response(MHD_Connection* connection, const HttpResponse& response, bool last);

// Writes the response to the socket past libmicrohttpd, which takes none while a body arrives, and no more after it.
void send_at_once(MHD_Connection* connection, const HttpResponse& response);

// A request and its response.
class HttpExchange {
public:
    // With what the header of the request says.
    HttpExchange(MHD_Connection* connection, const char* method, const char* path);

    HttpRequest request;
    bool handled = false;
    const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    bool refused = false;         // before the whole body has arrived, the rest of which is passed over
    std::size_t passed_over = 0;  // bytes
    std::size_t held = 0;         // bytes of it that the server counts as held

    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); }

    // By any thread. The first response counts.
    void answer(HttpResponse response);

    // Queues the response, whose size is added to `bytes`, or suspends the connection until there is one. `last`: as
    // for queue_response.
    MhdResult queue_or_wait(std::size_t& bytes, bool last);

    // The connection is gone.
    void end();

private:
    std::mutex mutex_;
    MHD_Connection* connection_;
    std::optional<HttpResponse> response_;
    bool suspended_ = false;
};

// What an Answer holds: gives a response when nobody else can any more.
class HttpPromise {
public:
    explicit HttpPromise(std::shared_ptr<HttpExchange> exchange) : exchange_(std::move(exchange)) {}
    ~HttpPromise() { exchange_->answer({500, "application/json", R"({"error":"the request was dropped"})"}); }
    HttpPromise(const HttpPromise&) = delete;
    HttpPromise& operator=(const HttpPromise&) = delete;

    void answer(HttpResponse response) const { exchange_->answer(std::move(response)); }

private:
    std::shared_ptr<HttpExchange> exchange_;
};

}  // namespace softalign
