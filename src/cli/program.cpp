#include "cli/program.h"

#include <c10/util/Exception.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <ios>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/instructions.h"
#include "base/strings.h"
#include "config/config.h"
#include "journal/log.h"
#include "journal/progress.h"
#include "platform/memory.h"

namespace softalign {

namespace {

// With the beginning only of words that are longer than any name of a file: such a message would bury what it says.
std::string without_long_words(const std::string& text) {
    constexpr std::size_t longest = 5000;
    constexpr std::size_t shown = 60;
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n\t", begin), text.size() - 1) + 1;
        const std::string word = text.substr(begin, end - begin);
        std::size_t cut = shown;
        while (word.size() > longest && is_utf8_continuation(word[cut])) {
            --cut;  // not inside a character
        }
        const std::size_t tail = word.find_last_not_of(":;,. \n\t") + 1;
        result += word.size() > longest ? word.substr(0, cut) + "…" + word.substr(tail) : word;
        begin = end;
    }
    return result;
}

int report(ExitCode code, const std::string& message) {
    std::cout.flush();
    StatusLine::instance().erase();
    // At once, so that what several processes say is not mixed.
    const std::string line = "softalign: error: " + without_long_words(terminal_text(message)) + "\n";
    std::cerr << line << std::flush;
    return static_cast<int>(code);
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

int run(int argc, char** argv) {
    set_up_logging(LogLevel::info);
    instructions();  // a fault of the environment shows before everything else
    CLI::App program("Neural machine translation with attention: train, translate, evaluate.", "softalign");
    Action action;
    add_commands(program, action);
    return run_and_flush(parse_command_line(program, action, argc, argv));
}

int report_fault(const std::string& what) {
    return report(ExitCode::internal,
                  what + "\nthis is a fault of softalign: please report it with the command and \"softalign info\"");
}

}  // namespace

int run_program(int argc, char** argv) {
    try {
        return run(argc, argv);
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
        return report_fault(error.what());
    } catch (...) {
        return report_fault("an unknown exception");
    }
}

}  // namespace softalign
