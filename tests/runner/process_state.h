#pragma once

#include <sys/resource.h>

#include <gtest/gtest.h>
#include <csignal>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace softalign {

// What a test may change for those that run after it in the same process.
struct ProcessState {
    std::string directory;
    std::string mask;  // of new files
    std::map<std::string, std::string> variables;
    std::array<rlim_t, RLIM_NLIMITS> limits{};  // the soft ones
    std::vector<void (*)(int)> handlers;        // by signal

    static ProcessState now();
};

// Fails a test that leaves the process in another state than it found.
class UnchangedProcess : public testing::EmptyTestEventListener {
public:
    void OnTestStart(const testing::TestInfo& test) override;
    void OnTestEnd(const testing::TestInfo& test) override;

private:
    ProcessState before_;
};

}  // namespace softalign
