#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softalign {

// One run of this program in a process of its own, in the environment that its user gave it.
struct CommandRun {
    double seconds = 0.0;             // from the start of the process to its end
    double first_line_seconds = 0.0;  // to the end of the first line on its standard output; 0 = it wrote none
    // Bytes of physical memory it had in use at the most, asked for every few milliseconds while it ran.
    std::uint64_t peak_memory = 0;
};

// Runs the program with these arguments, its name not among them, nothing on its standard input, and drops what it
// writes to standard output; its standard error is this one's.
// Throws Error(internal) where it cannot be started or ends with another status than 0.
CommandRun run_command(const std::vector<std::string>& arguments);

}  // namespace softalign
