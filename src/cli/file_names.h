#pragma once

#include <string>
#include <vector>

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
    void reads_parts(const std::string& directory, const std::string& weights = "");
    void reads_model(const std::string& directory, const std::string& weights = "");

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

}  // namespace softalign
