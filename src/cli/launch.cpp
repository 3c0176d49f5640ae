#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options.h"
#include "cli/program.h"
#include "distributed/launch_environment.h"
#include "distributed/launcher.h"

namespace softalign {

namespace {

struct LaunchArguments {
    std::int64_t processes = 0;
    std::vector<std::string> command;
};

int run_launch(const LaunchArguments& arguments) {
    const std::string& name = arguments.command.front();
    if (name != "train" && name != "translate" && name != "score") {
        throw Error(ExitCode::usage, "launch: the argument \"" + name +
                                         "\" is not a command that several processes can share; train, translate and "
                                         "score are: softalign launch --processes N -- train CONFIG");
    }
    LaunchOptions options;
    options.processes = static_cast<int>(arguments.processes);
    options.command = {"/proc/self/exe"};
    options.command.insert(options.command.end(), arguments.command.begin(), arguments.command.end());
    return launch_processes(options);
}

}  // namespace

void require_one_process(const char* command) {
    const LaunchEnvironment place = launch_environment();
    if (!place.is_alone()) {
        throw Error(ExitCode::usage, std::string(command) + " works in one process, and this is one of " +
                                         std::to_string(place.size) + " according to the environment (" +
                                         place.launcher + "); start it without a launcher");
    }
}

void add_launch_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand(
        "launch", "Train, translate or score in several processes on this machine (docs/scale.md)");
    const auto arguments = std::make_shared<LaunchArguments>();
    add_number(*command, "--processes", arguments->processes, between(1, 1024), "Number of processes on this machine")
        ->required();
    command->add_option("COMMAND", arguments->command, "After --: train, translate or score with its options")
        ->required();
    command->callback([arguments, &action] { action = [arguments] { return run_launch(*arguments); }; });
}

}  // namespace softalign
