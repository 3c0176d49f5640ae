#include "cli/program.h"

#include <c10/util/Exception.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <ios>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "cli/commands.h"
#include "config/config.h"
#include "config/nearest.h"
#include "platform/out_of_memory.h"
#include "report/log.h"
#include "report/status_line.h"

namespace softalign {

namespace {

std::string version_text() {
    return std::string("softalign ") + version() + " (" + build_type() + ", " + compiler() + ", LibTorch " +
           libtorch_version() + ")";
}

// With control characters spelled out but for line ends and tabs: names and texts of files are part of messages, and a
// terminal would obey what is in them.
std::string for_terminal(const std::string& message) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string result;
    for (std::size_t i = 0; i < message.size(); ++i) {
        const auto byte = static_cast<unsigned char>(message[i]);
        const auto next = static_cast<unsigned char>(i + 1 < message.size() ? message[i + 1] : 0);
        const bool is_c1 = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || is_c1) {
            const unsigned char control = is_c1 ? next : byte;
            result += std::string("\\x") + digits[control >> 4] + digits[control & 15];
            i += is_c1 ? 1 : 0;
        } else {
            result += message[i];
        }
    }
    return result;
}

int report(ExitCode code, const std::string& message) {
    std::cout.flush();
    StatusLine::instance().erase();
    std::cerr << "softalign: error: " << for_terminal(message) << std::endl;
    return static_cast<int>(code);
}

void add_commands(CLI::App& program, Action& action) {
    add_train_command(program, action);
    add_translate_command(program, action);
    add_evaluate_command(program, action);
    add_score_command(program, action);
    add_shortlist_command(program, action);
    add_vocab_command(program, action);
    add_average_command(program, action);
    add_benchmark_command(program, action);
    add_report_command(program, action);
    add_info_command(program, action);
    program.set_version_flag("--version", version_text, "Print the version and exit");
    for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
        command->set_version_flag("--version", version_text, "Print the version and exit");
    }
}

std::vector<std::string> command_names(CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates, const std::string& prefix) {
    const auto meant = nearest(name, candidates);
    return meant ? "; did you mean " + quoted(prefix + *meant) + "?" : "";
}

// "unknown option "--bem"; did you mean "--beam"?"
std::string unexpected_argument(const CLI::App& command, const std::string& argument) {
    if (argument.rfind("--", 0) != 0) {
        return "unexpected argument " + quoted(argument);
    }
    std::vector<std::string> options;
    for (const CLI::Option* option : command.get_options()) {
        const auto& names = option->get_lnames();
        options.insert(options.end(), names.begin(), names.end());
    }
    const std::string name = argument.substr(0, argument.find('='));
    return "unknown option " + quoted(name) + suggestion(name.substr(2), options, "--");
}

int report_usage(CLI::App& program, const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = program.get_subcommands();
    const CLI::App& command = chosen.empty() ? program : *chosen.front();
    std::string message = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::vector<std::string> extra = program.remaining(true);
        if (!extra.empty()) {
            message = unexpected_argument(command, extra.front());
        }
    }
    const std::string name = chosen.empty() ? "softalign" : "softalign " + command.get_name();
    return report(ExitCode::usage, message + "\nsee: " + name + " --help");
}

// An empty name of a file or directory is what a shell makes of a variable that is not set; taken for an option that is
// not given, it would mean another file than the user had in mind.
void require_names(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const std::string type = option->get_type_name();
        const bool takes_name = option->get_items_expected_min() > 0 &&
                                (type.rfind("FILE", 0) == 0 || type.rfind("DIR", 0) == 0 || type == "CONFIG");
        const auto& values = option->results();
        if (takes_name && std::find(values.begin(), values.end(), "") != values.end()) {
            throw Error(ExitCode::usage,
                        option->get_name() + ": the value is empty; name a file or directory, or leave the option out");
        }
    }
    for (const CLI::App* subcommand : command.get_subcommands()) {
        require_names(*subcommand);
    }
}

// A command line without a known command, which CLI11 would word as a requirement. 0 = it has one.
int check_command(CLI::App& program, int argc, char** argv) {
    if (argc < 2) {
        std::cerr << program.help();
        return static_cast<int>(ExitCode::usage);
    }
    const std::string first = argv[1];
    const std::vector<std::string> names = command_names(program);
    if ((!first.empty() && first[0] == '-') || std::find(names.begin(), names.end(), first) != names.end()) {
        return 0;
    }
    return report(ExitCode::usage,
                  quoted(first) + " is not a command" + suggestion(first, names, "") + "\nsee: softalign --help");
}

int report_memory(const std::string& details) {
    return report(ExitCode::internal, "out of memory" + details +
                                          "\nuse a smaller batch (training.batch_size, --batch-size), fewer workers "
                                          "(runtime.workers) or a smaller model");
}

// What LibTorch throws, without the trace it appends.
int report_torch(const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    const std::string first_line = text.substr(0, text.find('\n'));
    if (is_out_of_memory(error)) {
        return report_memory(": " + first_line);
    }
    return report(ExitCode::internal, first_line +
                                          "\nLibTorch reported this; it is a fault of softalign: please "
                                          "report it with the command and \"softalign info\"");
}

// Whether standard output is a pipe that nobody reads any more. The system is asked, because a stream does not keep why
// an earlier write failed.
bool reader_has_gone() {
    struct pollfd output {
        STDOUT_FILENO, POLLOUT, 0
    };
    return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// While it lives, a failed write to std::cout throws: the stream keeps that one failed, and not why.
class ThrowingOutput {
public:
    ThrowingOutput() {
        std::cout.clear();
        std::cout.exceptions(std::ios::badbit);
    }
    ~ThrowingOutput() { std::cout.exceptions(std::ios::goodbit); }
    ThrowingOutput(const ThrowingOutput&) = delete;
    ThrowingOutput& operator=(const ThrowingOutput&) = delete;
};

[[noreturn]] void output_failed(int reason) {
    if (reader_has_gone()) {
        throw Error(ExitCode::reader_gone, "the program that reads standard output has ended");
    }
    throw Error(ExitCode::output,
                "standard output could not be written: " + (reason == EBADF ? "it is closed" : errno_text(reason)));
}

// The action, and its output to the last byte.
int run_and_flush(const Action& action) {
    const ThrowingOutput output;
    try {
        const int code = action();
        std::cout.flush();
        return code;
    } catch (const std::ios_base::failure&) {
        output_failed(errno);
    }
}

int run_action(const Action& action) {
    try {
        set_up_logging(LogLevel::info);
        return run_and_flush(action);
    } catch (const Error& error) {
        // One that ends reading early wants no more, and no message: what a shell says of a program that dies of it.
        return error.code() == ExitCode::reader_gone ? static_cast<int>(error.code())
                                                     : report(error.code(), error.what());
    } catch (const c10::Error& error) {
        return report_torch(error);
    } catch (const std::bad_alloc&) {
        return report_memory("");
    } catch (const std::system_error& error) {
        // What no other message foresaw: no thread could be started, no folder read.
        return report(ExitCode::internal, std::string(error.what()) +
                                              "\nthe system refused this; see the limits that it sets with: ulimit -a");
    } catch (const std::exception& error) {
        return report(ExitCode::internal, std::string(error.what()) +
                                              "\nthis is a fault of softalign: please report it with the command and "
                                              "\"softalign info\"");
    } catch (...) {
        return report(ExitCode::internal, "an unknown fault: please report it with the command");
    }
}

}  // namespace

int run_program(int argc, char** argv) {
    CLI::App program("Recurrent neural machine translation with attention: trains, translates, evaluates.",
                     "softalign");
    Action action;
    add_commands(program, action);
    program.require_subcommand(1);
    if (const int code = check_command(program, argc, argv)) {
        return code;
    }
    try {
        program.parse(argc, argv);
        require_names(program);
    } catch (const CLI::ParseError& error) {
        // --help and --version come as exceptions of code 0.
        return error.get_exit_code() == 0 ? run_action([&] { return program.exit(error); })
                                          : report_usage(program, error);
    } catch (const Error& error) {
        return report(error.code(), error.what());
    }
    return run_action(action);
}

}  // namespace softalign
