#include "serve/http_server.h"

#include <microhttpd.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "serve/error_responses.h"
#include "serve/http_exchange.h"
#include "serve/listening_socket.h"

namespace softalign {

namespace {

void log_line(void* /*unused*/, const char* format, va_list arguments) {
    std::array<char, 400> line{};
    std::vsnprintf(line.data(), line.size(), format, arguments);
    spdlog::debug("http: {}", line.data());
}

}  // namespace

class HttpServer::Impl {
public:
    Impl(const HttpOptions& options, Handle handle, Complete complete)
        : options_(options),
          handle_(std::move(handle)),
          complete_(std::move(complete)),
          socket_(listen_on(options.address)) {
        const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                               MHD_USE_ERROR_LOG | (socket_.is_ipv6 ? static_cast<unsigned>(MHD_USE_IPv6) : 0U);
        constexpr std::size_t connection_bytes = std::size_t{16} << 10;
        daemon_ = MHD_start_daemon(
            flags, 0, nullptr, nullptr, &Impl::on_access, this, MHD_OPTION_EXTERNAL_LOGGER, &log_line, nullptr,
            MHD_OPTION_NOTIFY_COMPLETED, &Impl::on_completed, this, MHD_OPTION_NOTIFY_CONNECTION, &Impl::on_connection,
            this, MHD_OPTION_LISTEN_SOCKET, socket_.descriptor, MHD_OPTION_CONNECTION_LIMIT,
            static_cast<unsigned>(options.connections + HttpOptions::spare_connections), MHD_OPTION_CONNECTION_TIMEOUT,
            static_cast<unsigned>(options.idle_seconds), MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_bytes,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        if (daemon_ == nullptr) {
            ::close(socket_.descriptor);
            throw Error(ExitCode::internal,
                        "the HTTP server does not start (libmicrohttpd " + std::string(MHD_get_version()) + ")");
        }
    }

    ~Impl() {
        drain(0.0);
        std::vector<std::shared_ptr<HttpExchange>> left;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            left.assign(open_.begin(), open_.end());
            ended_ = true;
        }
        for (const auto& exchange : left) {  // a daemon with suspended connections cannot be stopped
            exchange->answer(completed(*exchange, stopping()));
        }
        MHD_stop_daemon(daemon_);
        ::close(socket_.descriptor);
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    const std::string& address() const { return socket_.address; }

    std::size_t drain(double seconds) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);  // no request begins to arrive after it
            draining_ = true;
        }
        if (MHD_quiesce_daemon(daemon_) != MHD_INVALID_SOCKET) {
            ::shutdown(socket_.descriptor, SHUT_RDWR);  // what connects from now on is refused
        }
        std::unique_lock<std::mutex> lock(mutex_);
        all_ended_.wait_for(lock, std::chrono::duration<double>(seconds),
                            [this] { return open_.empty() && arriving_.empty(); });
        return open_.size() + arriving_.size();
    }

private:
    static MhdResult on_access(void* self, MHD_Connection* connection, const char* url, const char* method,
                               const char* /*version*/, const char* data, size_t* size, void** state) {
        try {
            return static_cast<Impl*>(self)->access(connection, url, method, data, size, state);
        } catch (const std::exception& error) {  // libmicrohttpd, which is C, must not see it
            spdlog::error("a connection is closed: {}", error.what());
            return MHD_NO;
        }
    }

    static void on_completed(void* self, MHD_Connection* connection, void** state,
                             MHD_RequestTerminationCode /*code*/) {
        if (*state != nullptr) {
            const std::unique_ptr<std::shared_ptr<HttpExchange>> exchange(
                static_cast<std::shared_ptr<HttpExchange>*>(*state));
            *state = nullptr;
            (*exchange)->end();
            static_cast<Impl*>(self)->end(connection, *exchange);
        }
    }

    static void on_connection(void* self, MHD_Connection* connection, void** over,
                              MHD_ConnectionNotificationCode code) {
        static_cast<Impl*>(self)->count(connection, over, code == MHD_CONNECTION_NOTIFY_STARTED);
    }

    // A connection beyond the most gets something into `over`, and little time.
    void count(MHD_Connection* connection, void** over, bool begins) {
        connections_ += begins ? 1 : -1;
        if (!begins) {
            arrival_due_.erase(connection);
            return;
        }
        close_the_late();
        expect_request(connection, arrival());
        if (connections_ > options_.connections) {
            *over = this;
            constexpr unsigned seconds = 5;
            MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
        }
    }

    std::chrono::seconds arrival() const { return std::chrono::seconds(options_.arrival_seconds); }
    std::chrono::seconds idle() const { return std::chrono::seconds(options_.idle_seconds); }

    // A request must have arrived as a whole by then. The time to begin it is libmicrohttpd's.
    void expect_request(MHD_Connection* connection, std::chrono::seconds within) {
        arrival_due_[connection] = std::chrono::steady_clock::now() + within + idle();
    }

    // Those whose requests arrive byte by byte. libmicrohttpd says nothing of a header before it is there, so this is
    // done when others connect.
    void close_the_late() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_closing_) {
            return;
        }
        next_closing_ = now + std::chrono::seconds(1);
        for (const auto& [connection, due] : arrival_due_) {
            if (due < now) {
                ::shutdown(socket_of(connection), SHUT_RDWR);
            }
        }
    }

    void end(MHD_Connection* connection, const std::shared_ptr<HttpExchange>& exchange) {
        expect_request(connection, arrival());
        held_ -= exchange->held;
        const std::lock_guard<std::mutex> lock(mutex_);
        open_.erase(exchange);
        arriving_.erase(exchange);
        all_ended_.notify_all();
    }

    MhdResult access(MHD_Connection* connection, const char* url, const char* method, const char* data, size_t* size,
                     void** state) {
        if (*state == nullptr) {
            return begin(connection, url, method, state);
        }
        const std::shared_ptr<HttpExchange> exchange = *static_cast<std::shared_ptr<HttpExchange>*>(*state);
        if (exchange->handled) {
            return queue_or_wait(*exchange);
        }
        if (*size > 0) {
            const MhdResult goes_on = take(connection, exchange, data, *size);
            *size = 0;
            return goes_on;
        }
        if (exchange->refused) {
            return MHD_NO;  // closes it
        }
        arrival_due_.erase(connection);
        return handle(exchange);
    }

    // More of the body. MHD_NO: the connection is closed.
    MhdResult take(MHD_Connection* connection, const std::shared_ptr<HttpExchange>& exchange, const char* data,
                   std::size_t size) {
        const auto taken = std::chrono::steady_clock::now() - exchange->began;
        if (exchange->refused) {
            exchange->passed_over += size;
            const bool is_enough =
                taken > 2 * arrival() + idle() || exchange->passed_over > most_bytes() * HttpOptions::bodies_at_once;
            return is_enough ? MHD_NO : MHD_YES;
        }
        if (taken > arrival()) {
            return refuse(connection, exchange, too_late());
        }
        if (exchange->request.body.size() + size > most_bytes()) {
            return refuse(connection, exchange, too_large());
        }
        if (held_ + size > most_bytes() * HttpOptions::bodies_at_once) {
            return refuse(connection, exchange, busy());
        }
        try {
            exchange->request.body.append(data, size);
        } catch (const std::bad_alloc&) {
            return refuse(connection, exchange, busy());
        }
        hold(*exchange, exchange->held + size);
        return MHD_YES;
    }

    // While the body arrives. A connection that is closed while its client still sends is reset, and the response is
    // lost with it: what comes is passed over, up to a bound.
    MhdResult refuse(MHD_Connection* connection, const std::shared_ptr<HttpExchange>& exchange, HttpResponse response) {
        send_at_once(connection, completed(*exchange, std::move(response)));
        exchange->refused = true;
        drop_body(*exchange);
        const std::lock_guard<std::mutex> lock(mutex_);
        arriving_.erase(exchange);
        all_ended_.notify_all();
        return MHD_YES;
    }

    HttpResponse completed(const HttpExchange& exchange, HttpResponse response) const {
        complete_(exchange.request.path, response, exchange.seconds());
        return response;
    }

    void drop_body(HttpExchange& exchange) {
        exchange.request.body = {};
        hold(exchange, 0);
    }

    // From now on, the exchange takes so many bytes.
    void hold(HttpExchange& exchange, std::size_t bytes) {
        held_ += bytes - exchange.held;
        exchange.held = bytes;
    }

    MhdResult queue_or_wait(HttpExchange& exchange) {
        std::size_t bytes = exchange.held;
        const MhdResult result = exchange.queue_or_wait(bytes, draining_);
        hold(exchange, bytes);
        return result;
    }

    MhdResult begin(MHD_Connection* connection, const char* url, const char* method, void** state) {
        const auto exchange = std::make_shared<HttpExchange>(connection, method, url);
        *state = new std::shared_ptr<HttpExchange>(exchange);
        expect_request(connection, 2 * arrival());
        std::optional<HttpResponse> refusal = refusal_of(connection, exchange->request);
        if (!refusal && !expects(exchange)) {
            refusal = stopping();
        }
        if (refusal) {
            const auto& headers = exchange->request.headers;
            const bool has_body = headers.count("content-length") + headers.count("transfer-encoding") > 0;
            const bool waits = headers.count("expect") > 0;  // for the word to send it
            return has_body && !waits ? refuse(connection, exchange, *refusal)
                                      : queue_response(connection, completed(*exchange, *refusal), true);
        }
        return MHD_YES;
    }

    // Whether this request is one that a stop waits for from now on; else it is too late for it.
    bool expects(const std::shared_ptr<HttpExchange>& exchange) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!draining_) {
            arriving_.insert(exchange);
        }
        return !draining_;
    }

    // Of a request whose header has arrived.
    std::optional<HttpResponse> refusal_of(MHD_Connection* connection, const HttpRequest& request) const {
        if (MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context != nullptr) {
            return busy();
        }
        if (draining_) {
            return stopping();
        }
        if (const std::string fault = request.framing_fault(); !fault.empty()) {
            return error_response(400, fault);
        }
        if (std::strtoull(request.header("content-length").c_str(), nullptr, 10) > most_bytes()) {
            return too_large();
        }
        return std::nullopt;
    }

    std::size_t most_bytes() const { return static_cast<std::size_t>(options_.body_bytes); }

    static HttpResponse busy() { return try_again("the server has too many requests at once; try again"); }

    static HttpResponse stopping() { return error_response(503, "the server is stopping"); }

    HttpResponse too_late() const {
        return error_response(
            408, "the request took more than " + std::to_string(options_.arrival_seconds) + " seconds to arrive");
    }

    HttpResponse too_large() const {
        return error_response(413, "the request has more than " + std::to_string(options_.body_bytes) + " bytes");
    }

    MhdResult handle(const std::shared_ptr<HttpExchange>& exchange) {
        bool beyond_end = false;  // nobody would answer it
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            arriving_.erase(exchange);
            beyond_end = ended_;
            if (!beyond_end) {
                open_.insert(exchange);
            }
        }
        exchange->handled = true;
        if (beyond_end) {
            exchange->answer(completed(*exchange, stopping()));
            return queue_or_wait(*exchange);
        }
        const auto promise = std::make_shared<const HttpPromise>(exchange);
        try {
            handle_(exchange->request, [promise](HttpResponse response) { promise->answer(std::move(response)); });
        } catch (const std::exception& error) {
            spdlog::error("{} {}: {}", exchange->request.method, exchange->request.path, error.what());
            promise->answer(completed(*exchange, server_fault(error)));
        }
        drop_body(*exchange);
        return queue_or_wait(*exchange);
    }

    const HttpOptions options_;
    const Handle handle_;
    const Complete complete_;
    ListeningSocket socket_;
    MHD_Daemon* daemon_ = nullptr;
    std::atomic<bool> draining_{false};
    std::int64_t connections_ = 0;  // of the daemon's thread, as are those that follow
    std::size_t held_ = 0;          // bytes of requests that arrive and of responses that are sent
    std::map<MHD_Connection*, std::chrono::steady_clock::time_point> arrival_due_;  // of those without a whole request
    std::chrono::steady_clock::time_point next_closing_{};
    std::mutex mutex_;
    std::condition_variable all_ended_;
    bool ended_ = false;                                // nobody waits for requests any more
    std::set<std::shared_ptr<HttpExchange>> arriving_;  // requests whose body has not arrived as a whole
    std::set<std::shared_ptr<HttpExchange>> open_;      // others whose response has not been sent
};

bool HttpServer::is_there() {
    return true;
}

HttpServer::HttpServer(const HttpOptions& options, Handle handle, Complete complete)
    : impl_(std::make_unique<Impl>(options, std::move(handle), std::move(complete))) {}

HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
    return impl_->address();
}

std::size_t HttpServer::drain(double seconds) {
    return impl_->drain(seconds);
}

}  // namespace softalign
