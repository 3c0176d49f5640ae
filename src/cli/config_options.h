#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace CLI {
class App;
}

namespace softalign {

// The configuration of a command: a file, and keys given on the command line.
struct ConfigOptions {
    std::string file;
    std::vector<std::string> overrides;

    // Reads the configuration, sets up logging accordingly, and warns if the BLAS is slower than the processor allows.
    // Throws like load_config().
    Config load() const;
};

// Adds CONFIG and --set. REQUIRES: `options` outlives the parsing of the command line.
void add_config_options(CLI::App& command, ConfigOptions& options);

}  // namespace softalign
