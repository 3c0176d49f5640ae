#pragma once

#include <stdexcept>
#include <string>

namespace softalign {

// The program's exit status. Documented in the README; scripts rely on the numbers.
enum class ExitCode : int {
    success = 0,
    internal = 1,       // a bug in the program: please report it
    usage = 2,          // the command line
    configuration = 3,  // a config file or a --set
    data = 4,           // a corpus, a reference, an input file
    model = 5,          // a model directory or a checkpoint
    output = 6,         // a file that could not be written
    numerical = 7,      // training diverged
    processes = 8,      // another process is gone, silent, of another build or has the address; or they cannot meet
    interrupted = 75,   // stopped by a signal after saving; continue with --resume
    reader_gone = 141,  // the reader of the output has exited, as `| head` does: not an error, so no message
};

// The only exception type for everything that a user can fix. The message says what was wrong, where (file, line,
// column) and what to do next. main prints it after "softalign: error: " and exits with the code.
class Error : public std::runtime_error {
public:
    // A NUL, which would end what() early, is spelled \x00.
    Error(ExitCode code, const std::string& message);

    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

// "No such file or directory" for an errno value, thread-safe.
std::string errno_text(int error_number);

// Tells the user of something that is no error. Before handle_warnings, nobody is told: libsoftalign.so prints nothing.
// Threads may call it at the same time.
void warn(const std::string& message);

// From now on, `handler` gets what is warned of; null: nobody.
using WarningHandler = void (*)(const std::string& message);
void handle_warnings(WarningHandler handler);

}  // namespace softalign
