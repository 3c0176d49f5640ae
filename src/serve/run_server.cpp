#include "serve/run_server.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "platform/memory_reserve.h"
#include "serve/access.h"
#include "serve/listening_socket.h"
#include "serve/origin.h"

namespace softalign {

namespace {

// Blocks the signals that the server waits for in this thread and those that it starts.
class AwaitedSignals {
public:
    AwaitedSignals() {
        sigemptyset(&signals_);
        for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
            sigaddset(&signals_, signal);
        }
        pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    ~AwaitedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AwaitedSignals(const AwaitedSignals&) = delete;
    AwaitedSignals& operator=(const AwaitedSignals&) = delete;

    int wait() const {
        int signal = 0;
        while (sigwait(&signals_, &signal) != 0) {
        }
        return signal;
    }

private:
    sigset_t signals_{};
    sigset_t before_{};
};

// Lets this process have as many open files as the system allows: each connection is one. Returns how many connections
// of those wanted there can be.
std::int64_t allow_connections(std::int64_t wanted) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    constexpr std::int64_t others = 100 + HttpOptions::spare_connections;  // models while they load, and so on
    const auto files = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_max, 1U << 30U));
    const std::int64_t possible = std::max<std::int64_t>(files - others, 1);
    if (possible < wanted) {
        spdlog::warn(
            "the system allows {} open files, so there can be {} connections at the same time, not {} "
            "(--max-connections); ulimit -n or LimitNOFILE= of systemd allows more",
            files, possible, wanted);
    }
    return std::min(possible, wanted);
}

}  // namespace

int run_server(const ServerOptions& options) {
    const std::string& cors = options.service.cors;
    if (!cors.empty() && cors != "*" && !is_origin(cors)) {
        throw Error(ExitCode::usage,
                    "--cors \"" + cors +
                        "\": not an origin; write one as browsers do, in lower-case letters and without a "
                        "slash at its end, such as https://example.org, or *");
    }
    require_address(options.http.address);  // before the models are loaded
    const AwaitedSignals signals;
    const MemoryReserve reserve;
    HttpOptions http = options.http;
    http.connections = allow_connections(http.connections);
    http.arrival_seconds = options.service.patience;
    Access access(options.keys_file, static_cast<std::size_t>(options.per_minute));
    ServedModels models(options.models, options.machine);
    std::size_t dropped = 0;
    {
        Service service(models, access, options.service);
        HttpServer server(
            http,
            [&](const HttpRequest& request, const HttpServer::Answer& answer) { service.handle(request, answer); },
            [&](const std::string& path, HttpResponse& response, double seconds) {
                service.complete(path, response, seconds);
            });
        spdlog::info("listening on http://{}", server.address());
        while (signals.wait() == SIGHUP) {
            service.reload();
        }
        spdlog::info("stopping: no new connections; requests under way are answered");
        dropped = server.drain(options.drain_seconds);
    }
    if (dropped > 0) {
        spdlog::error("requests dropped after {} s: {}", options.drain_seconds, dropped);
    }
    return dropped > 0 ? static_cast<int>(ExitCode::internal) : static_cast<int>(ExitCode::success);
}

}  // namespace softalign
