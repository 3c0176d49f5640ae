#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softalign {

// One run of this program in a separate process, in the user's environment.
struct CommandRun {
    double seconds = 0.0;             // from the start of the process to its end
    double first_line_seconds = 0.0;  // to the end of the first line on its standard output; 0 = it wrote none
    // Peak resident memory in bytes, sampled every few milliseconds.
    std::uint64_t peak_memory = 0;
};

// Runs the program with these arguments (its name not included) and empty standard input. Discards its standard output;
// its standard error is that of this process.
// Throws Error(internal) if it cannot be started or exits with a status other than 0.
CommandRun run_command(const std::vector<std::string>& arguments);

}  // namespace softalign
