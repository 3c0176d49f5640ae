#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

#include "translate/outputs.h"

namespace CLI {
class App;
}

namespace softalign {

// The files that a command reads and writes, by the options that name them. A command names all of them and calls
// check() before it does anything else. "-" is standard input or output; an empty name is ignored.
class FileNames {
public:
    void reads(const std::string& option, const std::string& path) { inputs_.push_back({option, path}); }

    // An input that cannot be standard input, and an output that cannot be standard output; `reason` says why.
    void reads_file(const std::string& option, const std::string& path, const std::string& reason);
    void writes_file(const std::string& option, const std::string& path, const std::string& reason);

    // The parts of a model directory, and its weights: `weights` if not empty. reads_model: its shortlist too.
    void reads_parts(const std::string& directory, const std::string& weights = "",
                     const std::string& option = "--model");
    void reads_model(const std::string& directory, const std::string& weights = "",
                     const std::string& option = "--model");

    void writes(const std::string& option, const std::string& path) { outputs_.push_back({option, path}); }

    // Throws Error(usage) where two options read one stream (a pipe, a terminal, standard input), or where an output is
    // a file that another output or an input names too: under another path, through a link. Devices
    // such as /dev/null and terminals may be written to by several.
    void check() const;

private:
    struct Name {
        std::string option;
        std::string path;
    };

    std::vector<Name> inputs_;
    std::vector<Name> outputs_;
};

// While it lives, std::cout and std::cerr write directly to their descriptors, and wait if those are non-blocking. C's
// stdio, through which they go otherwise, loses what such a descriptor does not accept at once.
class StandardStreams {
public:
    StandardStreams();
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

private:
    std::unique_ptr<std::streambuf> out_;
    std::unique_ptr<std::streambuf> err_;
    std::streambuf* earlier_out_;
    std::streambuf* earlier_err_;
};

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
