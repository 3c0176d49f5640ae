#include "serve/run_server.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <csignal>
#include <cstddef>

#include "base/error.h"
#include "serve/access.h"

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

// As many open files as the system lets this process have: each connection is one.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace

int run_server(const ServerOptions& options) {
    const AwaitedSignals signals;
    allow_many_files();
    Access access(options.keys_file, static_cast<std::size_t>(options.per_minute));
    ServedModels models(options.models, options.machine);
    std::size_t dropped = 0;
    {
        Service service(models, access, options.service);
        HttpServer server(options.http, [&](const HttpRequest& request, const HttpServer::Answer& answer) {
            service.handle(request, answer);
        });
        spdlog::info("listening on http://{}", server.address());
        while (signals.wait() == SIGHUP) {
            service.reload();
        }
        spdlog::info("stopping: no new connections; requests under way are answered");
        service.stop();
        dropped = server.drain(options.drain_seconds);
    }
    if (dropped > 0) {
        spdlog::error("{} requests were dropped after {} s", dropped, options.drain_seconds);
    }
    return dropped > 0 ? static_cast<int>(ExitCode::internal) : static_cast<int>(ExitCode::success);
}

}  // namespace softalign
