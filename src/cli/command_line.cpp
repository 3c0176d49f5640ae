#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/problems.h"

namespace softalign {

namespace {

std::string version_text() {
    return producer() + " (" + build_type() + ", " + compiler() + ", LibTorch " + libtorch_version() + ")";
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
    return app.get_subcommands([](CLI::App*) { return true; });
}

std::vector<std::string> command_names(CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) {
        names.push_back(command->get_name());
    }
    return names;
}

// CLI11 takes any number and many words for a flag, and ends the program at others.
void make_flags_strict(CLI::App& app) {
    const auto check = [](const std::string& value) {
        return value == "true" || value == "false" ? std::string() : "\"" + value + "\" is neither true nor false";
    };
    for (CLI::Option* option : app.get_options()) {
        if (option->get_items_expected_max() == 0) {
            option->check(check, "");
        }
    }
    for (CLI::App* command : commands_of(app)) {
        make_flags_strict(*command);
    }
}

// CLI11 takes "[a,b]" for a list, "{}" for an empty one and "++" for the end of a command, and its versions differ in
// when. Its parser gets these characters replaced; the options get them back.
constexpr char mark = '\x01';
constexpr char marked_bits = '\x40';

std::string marked(const std::string& argument) {
    std::string result;
    for (const char c : argument) {
        if (c == mark || c == '[' || c == '{' || c == '+') {
            result += mark;
            result += static_cast<char>(c ^ marked_bits);
        } else {
            result += c;
        }
    }
    return result;
}

std::string unmarked(const std::string& argument) {
    std::string result;
    bool after_mark = false;
    for (const char c : argument) {
        if (after_mark || c != mark) {
            result += after_mark ? static_cast<char>(c ^ marked_bits) : c;
        }
        after_mark = !after_mark && c == mark;
    }
    return result;
}

void take_literally(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        option->transform(&unmarked, "");  // runs before all checks
    }
    for (CLI::App* command : commands_of(app)) {
        take_literally(*command);
    }
}

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates, const std::string& prefix) {
    const auto meant = nearest(name, candidates);
    return meant ? "; did you mean " + quoted(prefix + *meant) + "?" : "";
}

[[noreturn]] void fail(const std::string& message, const std::string& command) {
    throw Error(ExitCode::usage, message + "\nsee: " + command + " --help");
}

// The command that was recognised, the innermost one, and its name with those around it.
struct Recognised {
    CLI::App* command;
    std::string name;
};

Recognised recognised(CLI::App& program) {
    Recognised found{&program, "softalign"};
    while (!found.command->get_subcommands().empty()) {
        found.command = found.command->get_subcommands().front();
        found.name += " " + found.command->get_name();
    }
    return found;
}

// "unknown option "--bem"; did you mean "--beam"?"
std::string unexpected_argument(CLI::App& command, const std::string& argument) {
    if (!starts_with(argument, "--")) {
        const std::vector<std::string> names = command_names(command);
        return names.empty() ? "unexpected argument " + quoted(argument)
                             : quoted(argument) + " is not a command" + suggestion(argument, names, "");
    }
    std::vector<std::string> options;
    for (const CLI::Option* option : command.get_options()) {
        const auto& names = option->get_lnames();
        options.insert(options.end(), names.begin(), names.end());
    }
    const std::string name = argument.substr(0, argument.find('='));
    return "unknown option " + quoted(name) + suggestion(name.substr(2), options, "--");
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// What CLI11 found, in plainer words where it has the wording of its internals.
std::string described(CLI::App& program, CLI::App& command, const CLI::ParseError& error) {
    const std::string message = error.what();
    const std::vector<std::string> extra = program.remaining(true);
    const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    const bool is_launch = command.get_name() == "launch";  // what is started has options too
    if ((required || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) && !extra.empty() &&
        !(is_launch && extra.front() == "--")) {
        // Perhaps what is missing, misspelled; its value may be in front of it here.
        const auto option = std::find_if(extra.begin(), extra.end(), [](const std::string& argument) {
            return argument.size() > 2 && starts_with(argument, "--");
        });
        const std::string found =
            unexpected_argument(command, unmarked(option == extra.end() ? extra.front() : *option));
        return found + (is_launch && found.back() != '?'
                            ? "; put -- before the command: softalign launch --processes N -- train CONFIG"
                            : "");
    }
    if (required && !commands_of(command).empty()) {
        return "a command is missing; there is: " + join(command_names(command));
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        const std::string option = message.substr(0, message.find(": "));
        return has(message, " missing")   ? option + " needs a value"
               : has(message, "At Most ") ? option + " is given more than once"
                                          : message;
    }
    return message;
}

// A first argument that is neither an option nor a command, which CLI11 would word as a requirement.
void require_command(CLI::App& program, const std::string& first) {
    const std::vector<std::string> names = command_names(program);
    const bool option = !first.empty() && first[0] == '-';
    if (!option && std::find(names.begin(), names.end(), first) == names.end()) {
        fail(quoted(first) + " is not a command" + suggestion(first, names, ""), "softalign");
    }
}

// An empty value is what a shell makes of a variable that is not set. CLI11 would take it for zero, for an option that
// is not given, or would take the next argument in its place.
void refuse_empty(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string& argument = arguments[i];
        const bool is_option = starts_with(argument, "--");
        const bool empty_behind = i + 1 < arguments.size() && arguments[i + 1].empty();
        if (is_option && (empty_behind || (argument.size() > 3 && argument.find('=') == argument.size() - 1))) {
            throw Error(ExitCode::usage, argument.substr(0, argument.find('=')) +
                                             ": the value is empty; give one, or leave the option out");
        }
    }
    if (std::find(arguments.begin(), arguments.end(), "") != arguments.end()) {
        throw Error(ExitCode::usage, "an argument is empty; is a variable of the shell not set?");
    }
}

// A flag that is set to false asks for nothing.
bool is_off(const CLI::Option& option) {
    return option.count() > 0 && option.get_items_expected_max() == 0 && option.results().back() == "false";
}

// Lets flags that are off need and exclude nothing, as CLI11 would have it. Whether there were any that did.
bool free_flags_that_are_off(CLI::App& command) {
    bool changed = false;
    for (CLI::Option* option : command.get_options()) {
        for (CLI::Option* other : option->get_excludes()) {
            if (is_off(*option) || is_off(*other)) {
                changed = option->remove_excludes(other) || changed;
            }
        }
        for (CLI::Option* other : option->get_needs()) {
            changed = (is_off(*option) && option->remove_needs(other)) || changed;
        }
    }
    return changed;
}

void parse(CLI::App& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> last_first;
    std::transform(arguments.rbegin(), arguments.rend(), std::back_inserter(last_first), &marked);
    while (true) {
        try {
            program.parse(std::vector<std::string>(last_first));
            return;
        } catch (const CLI::ParseError& error) {
            const bool related = dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr ||
                                 dynamic_cast<const CLI::RequiresError*>(&error) != nullptr;
            if (!related || !free_flags_that_are_off(*recognised(program).command)) {
                throw;
            }
        }
    }
}

// Every other command would do its whole work in each process that a launcher starts.
bool can_be_shared(const std::string& command) {
    return command == "train" || command == "translate" || command == "score" || command == "info";
}

}  // namespace

void add_commands(CLI::App& program, Action& action) {
    add_train_command(program, action);
    add_translate_command(program, action);
    add_evaluate_command(program, action);
    add_score_command(program, action);
    add_shortlist_command(program, action);
    add_vocab_command(program, action);
    add_average_command(program, action);
    add_quantize_command(program, action);
    add_benchmark_command(program, action);
    add_report_command(program, action);
    add_serve_command(program, action);
    add_launch_command(program, action);
    add_info_command(program, action);
    program.require_subcommand(1);
    program.set_version_flag("--version", version_text, "Print the version and exit");
    for (CLI::App* command : commands_of(program)) {
        command->set_version_flag("--version", version_text, "Print the version and exit");
    }
    make_flags_strict(program);
    take_literally(program);
}

Action parse_command_line(CLI::App& program, const Action& action, int argc, const char* const* argv) {
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (arguments.empty()) {
        return [&program] {
            std::cerr << program.help();
            return static_cast<int>(ExitCode::usage);
        };
    }
    require_command(program, arguments.front());
    refuse_empty(arguments);
    try {
        parse(program, arguments);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {  // --help and --version
            return [&program, error] { return program.exit(error); };
        }
        const Recognised found = recognised(program);
        fail(described(program, *found.command, error), found.name);
    }
    if (!can_be_shared(arguments.front())) {
        require_one_process(arguments.front().c_str());
    }
    return action;
}

}  // namespace softalign
