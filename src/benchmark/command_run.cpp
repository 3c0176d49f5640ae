#include "benchmark/command_run.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "platform/process.h"
#include "platform/processor.h"

namespace softalign {

namespace {

constexpr const char* program = "/proc/self/exe";
constexpr int milliseconds_between_looks = 2;

[[noreturn]] void fail(const std::string& what) {
    throw Error(ExitCode::internal, "the program could not be run for a measurement: " + what);
}

// A pipe whose ends no other program inherits.
struct Pipe {
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            fail(errno_text(errno));
        }
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void close_end(std::size_t end) {
        if (ends[end] >= 0) {
            ::close(ends[end]);
            ends[end] = -1;
        }
    }

    std::array<int, 2> ends{-1, -1};
};

pid_t start(std::vector<std::string> arguments, int output) {
    char file[4096];
    const ssize_t length = ::readlink(program, file, sizeof file - 1);
    if (length <= 0) {
        fail(errno_text(errno));
    }
    file[length] = '\0';
    arguments.insert(arguments.begin(), file);
    std::vector<std::string> environment = environment_of_user();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t process = 0;
    const int failure = ::posix_spawn(&process, file, &actions, nullptr, pointers_to(arguments).data(),
                                      pointers_to(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        fail(std::string(file) + ": " + errno_text(failure));
    }
    return process;
}

// Reads what the process writes until it closes its output.
void follow(pid_t process, int output, const Stopwatch& watch, CommandRun& run) {
    std::array<char, 65536> buffer{};
    while (true) {
        pollfd readable{output, POLLIN, 0};
        const int ready = ::poll(&readable, 1, milliseconds_between_looks);
        run.peak_memory = std::max(run.peak_memory, peak_memory(process));
        if (ready <= 0) {
            continue;
        }
        const ssize_t count = ::read(output, buffer.data(), buffer.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return;
        }
        if (run.first_line_seconds == 0.0 &&
            std::find(buffer.begin(), buffer.begin() + count, '\n') != buffer.begin() + count) {
            run.first_line_seconds = watch.seconds();
        }
    }
}

}  // namespace

CommandRun run_command(const std::vector<std::string>& arguments) {
    Pipe pipe;
    CommandRun run;
    const Stopwatch watch;
    const pid_t process = start(arguments, pipe.ends[1]);
    pipe.close_end(1);
    follow(process, pipe.ends[0], watch, run);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    run.seconds = watch.seconds();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail(arguments.front() +
             (WIFEXITED(status) ? " ended with status " + std::to_string(WEXITSTATUS(status))
                                : " was ended by signal " + std::to_string(WTERMSIG(status))) +
             "; its message is above");
    }
    return run;
}

}  // namespace softalign
