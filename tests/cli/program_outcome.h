#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/fixtures.h"
#include "cli/program.h"

namespace softalign {

// How the program ended, and what it wrote.
struct Outcome {
    int status = -1;  // negative: the signal that ended it
    std::string out;
    std::string err;
    long peak_kilobytes = 0;  // of memory; of a process of its own
};

inline std::vector<char*> argv_of(Arguments& arguments) {
    arguments.insert(arguments.begin(), SOFTALIGN_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    return argv;
}

// The program from its command line to its exit code, within the test.
inline Outcome run_here(Arguments arguments) {
    const std::vector<char*> argv = argv_of(arguments);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.status = run_program(static_cast<int>(argv.size()) - 1, const_cast<char**>(argv.data()));
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
}

// The same with standard output on a file that is opened with these flags.
inline Outcome run_here_onto(const std::string& path, int flags, Arguments arguments) {
    const std::vector<char*> argv = argv_of(arguments);
    const int saved = ::dup(STDOUT_FILENO);
    const int output = ::open(path.c_str(), flags | O_CLOEXEC);
    ::dup2(output, STDOUT_FILENO);
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.status = run_program(static_cast<int>(argv.size()) - 1, const_cast<char**>(argv.data()));
    outcome.err = testing::internal::GetCapturedStderr();
    ::dup2(saved, STDOUT_FILENO);
    ::close(saved);
    ::close(output);
    return outcome;
}

// The program as a process of its own, after `prepare` has changed it. Standard input is empty. A process that hangs is
// ended by SIGALRM.
inline Outcome run_alone(
    const TemporaryFolder& folder, Arguments arguments, const std::function<void()>& prepare = [] {}) {
    const std::vector<char*> argv = argv_of(arguments);
    const std::string out = folder.path("stdout of the process");
    int ends[2];  // of a pipe for standard error: no limit of files holds for it
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::alarm(120);
        prepare();
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    Outcome outcome;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
        outcome.err.append(buffer, static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    int status = 0;
    struct rusage usage {};
    EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.out = read_bytes(out);
    outcome.peak_kilobytes = usage.ru_maxrss;
    return outcome;
}

// That it ended with this error, which has this text in it.
inline void expect_fault(const Outcome& outcome, ExitCode code, const std::string& message) {
    EXPECT_EQ(outcome.status, static_cast<int>(code)) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "softalign: error: ")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, message)) << outcome.err << "\ndoes not say: " << message;
}

inline void expect_success(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace softalign
