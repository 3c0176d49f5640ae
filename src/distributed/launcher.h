#pragma once

#include <string>
#include <vector>

namespace softalign {

struct LaunchOptions {
    int processes = 1;
    std::vector<std::string> command;  // the program and its arguments
};

// Starts the command that many times on this machine, with the environment of torchrun (RANK, WORLD_SIZE, LOCAL_RANK,
// LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT); the processes meet in a file without a name, and talk over loopback.
// Only rank 0 gets standard input. Forwards SIGINT, SIGTERM and SIGHUP, and waits for all; if one fails, the others
// have sixteen seconds to end by themselves before they are ended. All end if this process is killed. Returns the
// status of the first that failed (128 + N for signal N), and 0 if none did. Throws Error(output, usage).
int launch_processes(const LaunchOptions& options);

}  // namespace softalign
