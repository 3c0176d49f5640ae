#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/program.h"

namespace softalign {

// What a command prints on standard output; the arguments start with its name. What it throws goes through.
inline std::string output_of(void (*add_command)(CLI::App&, Action&), std::vector<std::string> arguments) {
    CLI::App program;
    Action action;
    add_command(program, action);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    program.parse(arguments);
    testing::internal::CaptureStdout();
    try {
        EXPECT_EQ(action(), 0);
    } catch (...) {
        testing::internal::GetCapturedStdout();
        throw;
    }
    return testing::internal::GetCapturedStdout();
}

}  // namespace softalign
