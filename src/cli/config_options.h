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

    // Reads it, sets up the log as it says, and warns where the BLAS is slower than the processor allows.
    // Throws as load_config().
    Config load() const;
};

// Adds CONFIG and --set. REQUIRES: `options` is there when the command line is parsed.
void add_config_options(CLI::App& command, ConfigOptions& options);

}  // namespace softalign
