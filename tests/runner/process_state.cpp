#include "runner/process_state.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

namespace softalign {

namespace {

std::map<std::string, std::string> variables_now() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string text = *entry;
        variables[text.substr(0, text.find('='))] = text;
    }
    return variables;
}

// Reading it by umask() would change it.
std::string mask_now() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("Umask:", 0) == 0) {
            return line;
        }
    }
    return "";
}

}  // namespace

ProcessState ProcessState::now() {
    ProcessState state;
    std::error_code gone;
    state.directory = std::filesystem::current_path(gone).string();
    state.mask = mask_now();
    state.variables = variables_now();
    for (std::size_t i = 0; i < state.limits.size(); ++i) {
        rlimit limit{};
        ::getrlimit(static_cast<__rlimit_resource>(i), &limit);
        state.limits[i] = limit.rlim_cur;
    }
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        state.handlers.push_back(action.sa_handler);
    }
    return state;
}

void UnchangedProcess::OnTestStart(const testing::TestInfo& /*test*/) {
    before_ = ProcessState::now();
}

void UnchangedProcess::OnTestEnd(const testing::TestInfo& /*test*/) {
    const ProcessState after = ProcessState::now();
    EXPECT_EQ(after.directory, before_.directory) << "the test left the working directory changed";
    EXPECT_EQ(after.mask, before_.mask) << "the test left the mask of new files changed";
    EXPECT_EQ(after.variables, before_.variables) << "the test left environment variables changed";
    EXPECT_EQ(after.limits, before_.limits) << "the test left resource limits changed";
    for (std::size_t i = 0; i < after.handlers.size(); ++i) {
        EXPECT_TRUE(after.handlers[i] == before_.handlers[i])
            << "the test left the handler of signal " << i + 1 << " changed";
    }
}

}  // namespace softalign
