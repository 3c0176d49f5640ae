#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

struct HttpRequest {
    std::string method;
    std::string path;                            // decoded, without the query
    std::map<std::string, std::string> headers;  // by names in lower case
    std::string body;
    std::string client;  // its address, without the port

    // Empty where there is none. `name` in lower case.
    std::string header(const std::string& name) const;

    // Why it cannot be told where the body ends, or why another server might tell it otherwise; empty: it can.
    std::string framing_fault() const;
};

struct HttpResponse {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers{};
};

struct HttpOptions {
    // Connections beyond the most, so that they can be told; still others wait to be accepted.
    static constexpr std::int64_t spare_connections = 100;
    // Of the requests that are arriving and the responses that are being sent, in bytes: so many times body_bytes. More
    // requests with a body are answered with 503. So much of the body of a request that is refused is passed over.
    static constexpr std::int64_t bodies_at_once = 64;

    std::string address = "127.0.0.1:5000";  // HOST:PORT, [IPv6]:PORT; port 0: the system chooses
    std::int64_t body_bytes = 1 << 20;       // of a request; more is answered with 413
    std::int64_t connections = 10000;        // at the same time; requests of others are answered with 503
    std::int64_t arrival_seconds = 60;       // of a request's body; one that takes longer is answered with 408.
    std::int64_t idle_seconds = 30;          // without a byte from or to a client, until its connection is closed
};

// An HTTP/1.1 server by libmicrohttpd, whose one thread reads requests and writes responses. A response may be given
// later, by any thread: a request that waits for it has no thread of its own.
class HttpServer {
public:
    // Whether the program was built with libmicrohttpd.
    static bool is_there();

    // Gives the response; the first call counts. If it is dropped without a call, the response is a status 500.
    using Answer = std::function<void(HttpResponse)>;
    // Called on the server's thread, which it must not hold up. May throw; the response is then a status 500.
    using Handle = std::function<void(const HttpRequest& request, const Answer& answer)>;

    // Called with each response that is not by Handle, which it may add headers to. `seconds`: since the request began.
    using Complete = std::function<void(const std::string& path, HttpResponse& response, double seconds)>;

    // Listens. Throws like listen_on (serve/listening_socket.h), and Error(internal) if libmicrohttpd does not start.
    HttpServer(const HttpOptions& options, Handle handle, Complete complete);
    // Drops requests without an answer.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // "127.0.0.1:5000", with the port that the system chose.
    std::string address() const;

    // Accepts no more connections, answers new requests on those there are with 503, closes each connection after its
    // next response, and waits until every request whose header has arrived is answered, at most so long. Returns how
    // many are not.
    std::size_t drain(double seconds);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace softalign
