#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options.h"
#include "cli/program.h"
#include "platform/device.h"
#include "serve/run_server.h"

namespace softalign {

namespace {

struct ServeArguments {
    std::vector<std::string> models;
    MachineOptions machine;
    ServerOptions server;
};

int run(const ServeArguments& arguments) {
    ServerOptions options = arguments.server;
    for (const std::string& model : arguments.models) {
        options.models.push_back(parse_model_name(model));
    }
    options.machine.device = arguments.machine.device;
    options.machine.precision = arguments.machine.precision;
    options.service.threads = worker_count(arguments.machine.workers.value_or(0), at::kCPU);
    return run_server(options);
}

void add_limits(CLI::App& command, ServerOptions& server) {
    add_number(command, "--max-text", server.service.most_bytes, between(1, 1e9),
               "Maximum bytes of text in a request (default: 10000)");
    add_number(command, "--max-beam", server.service.most_beam, between(1, 1024),
               "Widest beam that a request may ask for; a model's own may be wider (default: 32)");
    add_number(command, "--max-body", server.http.body_bytes, between(1, 1e9),
               "Maximum bytes of a request (default: 1048576)");
    add_number(command, "--max-waiting", server.service.most_waiting, between(1, 1e9),
               "Maximum number of sentences waiting to be translated; a request beyond that gets status 503, unless "
               "none is waiting (default: 4096)");
    add_number(command, "--max-connections", server.http.connections, between(1, 1e6),
               "Maximum number of simultaneous connections (default: 10000)");
    add_number(command, "--idle-timeout", server.http.idle_seconds, between(1, 86400),
               "Close a connection after this many seconds without a byte (default: 30)");
    add_number(command, "--patience", server.service.patience, between(1, 86400),
               "Seconds that a request may take before it gets status 503 (default: 60)");
    add_number(command, "--requests-per-minute", server.per_minute, between(0, 1e9),
               "Translation requests that one address or API key may send; 0: no limit (default: 0)");
    add_number(command, "--drain", server.drain_seconds, between(0, 86400),
               "Seconds to finish requests in progress when the server is stopped (default: 30)");
}

}  // namespace

void add_serve_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("serve", "Translate over HTTP, with a web page (docs/serve.md)");
    const auto arguments = std::make_shared<ServeArguments>();
    command
        ->add_option("--model", arguments->models,
                     "Model directory, with its languages unless the names of its training texts have them: "
                     "en-de=DIR; repeat for each language pair")
        ->required()
        ->allow_extra_args(false)
        ->type_name("DIR");
    add_text(*command, "--listen", arguments->server.http.address,
             "Address and port to listen on (default: 127.0.0.1:5000)")
        ->type_name("HOST:PORT");
    command
        ->add_option("--api-keys", arguments->server.keys_file,
                     "File with the API keys that may translate, one per line (default: none needed)")
        ->type_name("FILE");
    add_text(*command, "--cors", arguments->server.service.cors,
             "Origin whose pages may use the server, or * (default: none but its own page)")
        ->type_name("ORIGIN");
    add_limits(*command, arguments->server);
    add_machine_options(*command, arguments->machine, "0");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign
