#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "translate/outputs.h"

namespace CLI {
class App;
}

namespace softalign {

// What `translate` is asked to write.
struct OutputArguments {
    std::optional<std::string> text;  // else standard output, or nowhere where the JSON goes there
    OutputOptions options;            // the rest

    // With the text's place filled in. Throws Error(usage) for what does not go together.
    OutputOptions resolved(std::int64_t n_best) const;
};

// REQUIRES: `arguments` is there when the command line is parsed.
void add_output_options(CLI::App& command, OutputArguments& arguments);

}  // namespace softalign
