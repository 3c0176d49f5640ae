#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "translate/outputs.h"

namespace CLI {
class App;
}

namespace softalign {

// What `translate` is to write.
struct OutputArguments {
    std::optional<std::string> text;  // default: standard output, or nowhere if the JSON goes there
    OutputOptions options;            // the rest

    // The options with the text's destination filled in. Throws Error(usage) for options that exclude each other.
    OutputOptions resolved(std::int64_t n_best) const;
};

// REQUIRES: `arguments` outlives the parsing of the command line.
void add_output_options(CLI::App& command, OutputArguments& arguments);

}  // namespace softalign
