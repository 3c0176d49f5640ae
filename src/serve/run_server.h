#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/served_model.h"
#include "serve/service.h"

namespace softalign {

struct ServerOptions {
    std::vector<ModelName> models;
    ServingMachine machine;
    HttpOptions http;
    ServiceOptions service;
    std::string keys_file;        // Access
    std::int64_t per_minute = 0;  // Access
    double drain_seconds = 30.0;  // for requests under way when the server is told to stop
};

// Serves until SIGTERM or SIGINT; then answers what has arrived. SIGHUP loads models and keys again. Throws like
// ServedModels, Access and HttpServer, and Error(usage) for ServiceOptions::cors that is no origin. Returns the exit
// status: 0, or 1 if requests were dropped.
int run_server(const ServerOptions& options);

}  // namespace softalign
