#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/fixtures.h"
#include "cli/program.h"

namespace softalign {

// An option of a command, as the program has it: a new one is in the tests by itself.
struct EveryOption {
    Arguments command;  // "vocab", "train"
    std::string name;   // "--size"; of a positional argument "checkpoints"
    std::string type;   // "N", "FILE|-"; empty for a flag
    Arguments needed;   // the options that it needs, with values

    bool is_flag() const { return type.empty(); }
    bool is_positional() const { return name.rfind("--", 0) != 0; }
    bool names_file() const { return type.rfind("FILE", 0) == 0 || type.rfind("DIR", 0) == 0; }
};

namespace detail {

// The option with a value that is not there, or that any number can have.
inline void add_needed(const CLI::Option& option, const std::string& absent, Arguments& needed) {
    for (const CLI::Option* other : option.get_needs()) {
        add_needed(*other, absent, needed);
        if (std::find(needed.begin(), needed.end(), other->get_name()) != needed.end()) {
            continue;
        }
        needed.push_back(other->get_name());
        if (other->get_items_expected_max() > 0) {
            const std::string type = other->get_type_name();
            needed.push_back(type.rfind("FILE", 0) == 0 || type == "DIR" ? absent + "." + other->get_name()
                             : other->get_name() == "--split"            ? "sentences"
                                                                         : "1");
        }
    }
}

inline void add_options(CLI::App& app, const Arguments& command, const std::string& absent,
                        std::vector<EveryOption>& options) {
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_lnames().empty() && option->get_lnames().front() == "help") {
            continue;  // helps whatever its value is
        }
        EveryOption found{
            command, option->get_name(), option->get_items_expected_max() == 0 ? "" : option->get_type_name(), {}};
        add_needed(*option, absent, found.needed);
        options.push_back(found);
    }
    for (CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; })) {
        Arguments inner = command;
        inner.push_back(subcommand->get_name());
        add_options(*subcommand, inner, absent, options);
    }
}

}  // namespace detail

// Of all commands. `absent` begins the names of files that do not exist.
inline std::vector<EveryOption> every_option(const std::string& absent) {
    CLI::App program;
    Action action;
    add_commands(program, action);
    std::vector<EveryOption> options;
    detail::add_options(program, {}, absent, options);
    return options;
}

// A command line of the option's command that lacks nothing, with files that do not exist: without the option, with
// those that it needs.
inline Arguments command_line_around(const EveryOption& option, const std::string& absent) {
    using Options = std::vector<Arguments>;
    const auto file = [&absent](const std::string& name) { return absent + "." + name; };
    const Arguments model = {"--model", file("model")};
    const Arguments source = {"--source", file("source")};
    const Arguments target = {"--target", file("target")};
    const bool with_model = std::find(option.needed.begin(), option.needed.end(), "--model") != option.needed.end();
    const bool with_list = std::find(option.needed.begin(), option.needed.end(), "--n-best") != option.needed.end();
    const std::map<Arguments, Options> complete = {
        {{}, {}},
        {{"train"}, {{file("config")}}},
        {{"translate"}, {model, {"--input", file("input")}}},
        {{"evaluate"},
         with_model || option.name == "--model"
             ? Options{{"--references", file("references")}, source}
             : Options{{"--references", file("references")}, {"--hypotheses", file("hypotheses")}}},
        {{"score"}, with_list || option.name == "--n-best" ? Options{model, source} : Options{model, source, target}},
        {{"shortlist"}, {model, source, target}},
        {{"vocab"}, {}},
        {{"vocab", "train"}, {{"--input", file("input")}, {"--output", file("spm")}}},
        {{"vocab", "encode"}, {model, {"--input", file("input")}}},
        {{"vocab", "decode"}, {model, {"--input", file("input")}}},
        {{"vocab", "show"}, {model}},
        {{"average"},
         with_model || option.name == "--model"
             ? Options{{"--output", file("directory")}}
             : Options{{file("1.safetensors")}, {"--output", file("mean.safetensors")}}},
        {{"quantize"}, {model, {"--output", file("directory")}}},
        {{"benchmark"}, {{file("config")}}},
        {{"report"}, {{file("run")}}},
        {{"serve"}, {model}},
        {{"launch"}, {{"--processes", "1"}, {file("command")}}},
        {{"info"}, {}},
    };
    Arguments line = option.command;
    const auto found = complete.find(option.command);
    if (found == complete.end()) {
        ADD_FAILURE() << "this table does not know the command " << option.command.back();
        return line;
    }
    for (const Arguments& part : found->second) {
        const bool given = part.front() == option.name || (option.is_positional() && part.size() == 1) ||
                           std::find(option.needed.begin(), option.needed.end(), part.front()) != option.needed.end();
        if (!given) {
            line.insert(line.end(), part.begin(), part.end());
        }
    }
    line.insert(line.end(), option.needed.begin(), option.needed.end());
    return line;
}

}  // namespace softalign
