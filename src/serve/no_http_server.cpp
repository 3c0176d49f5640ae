// In place of http_server.cpp where libmicrohttpd is missing.
#include <cstddef>
#include <string>

#include "base/error.h"
#include "serve/http_server.h"

namespace softalign {

class HttpServer::Impl {};

bool HttpServer::is_there() {
    return false;
}

HttpServer::HttpServer(const HttpOptions& /*options*/, Handle /*handle*/, Complete /*complete*/) {
    throw Error(ExitCode::usage,
                "this softalign was built without libmicrohttpd, so it has no server; install libmicrohttpd-dev and "
                "build it again");
}

HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
    return "";
}

std::size_t HttpServer::drain(double /*seconds*/) {
    return 0;
}

}  // namespace softalign
