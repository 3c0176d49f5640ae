#include "distributed/launcher.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "base/strings.h"
#include "platform/process.h"

namespace softalign {

namespace {

// After another process has failed: more than a process takes to learn who (6 seconds) and to let the others read it
// (5; endings.cpp).
constexpr double seconds_to_end = 12.0;

// While it lives, these signals wait to be taken.
class HeldSignals {
public:
    HeldSignals() {
        ::sigemptyset(&held_);
        for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
            ::sigaddset(&held_, number);
        }
        ::sigprocmask(SIG_BLOCK, &held_, &before_);
    }
    ~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    const sigset_t& before() const { return before_; }

    // The next one within a second, or 0.
    int take(siginfo_t& info) const {
        const timespec second{1, 0};
        const int number = ::sigtimedwait(&held_, &info, &second);
        return number < 0 ? 0 : number;
    }

private:
    sigset_t held_{};
    sigset_t before_{};
};

// A file without a name, which the processes inherit: it goes with the last of them, however they end.
class MeetingFile {
public:
    MeetingFile() : descriptor_(::memfd_create("softalign-launch", 0)) {
        if (descriptor_ < 0) {
            throw Error(ExitCode::output,
                        "the file in which the processes meet cannot be made (" + errno_text(errno) + ")");
        }
    }
    ~MeetingFile() { ::close(descriptor_); }
    MeetingFile(const MeetingFile&) = delete;
    MeetingFile& operator=(const MeetingFile&) = delete;

    std::string place() const { return "file:///proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

std::vector<std::string> environment_for(int rank, int processes, const std::string& place) {
    const std::vector<std::string> own{"RANK=" + std::to_string(rank),
                                       "LOCAL_RANK=" + std::to_string(rank),
                                       "WORLD_SIZE=" + std::to_string(processes),
                                       "LOCAL_WORLD_SIZE=" + std::to_string(processes),
                                       "MASTER_ADDR=127.0.0.1",
                                       "MASTER_PORT=29500",
                                       "SOFTALIGN_RENDEZVOUS=" + place};
    std::vector<std::string> result;
    for (const std::string& entry : environment_of_user()) {
        const std::string name = entry.substr(0, entry.find('=') + 1);
        if (name != "TORCHELASTIC_USE_AGENT_STORE=" &&
            std::none_of(own.begin(), own.end(), [&](const std::string& other) { return starts_with(other, name); })) {
            result.push_back(entry);
        }
    }
    result.insert(result.end(), own.begin(), own.end());
    return result;
}

class Processes {
public:
    Processes(const LaunchOptions& options, const std::string& place, const HeldSignals& signals) {
        std::vector<std::string> command = options.command;
        const std::vector<char*> arguments = pointers_to(command);
        for (int rank = 0; rank < options.processes; ++rank) {
            std::vector<std::string> variables = environment_for(rank, options.processes, place);
            const std::vector<char*> environment = pointers_to(variables);
            const pid_t parent = ::getpid();
            const pid_t id = ::fork();
            if (id == 0) {
                become(rank, parent, arguments, environment, signals);
            }
            if (id < 0) {
                const std::string reason = errno_text(errno);
                send(SIGKILL);
                throw Error(ExitCode::usage, "process " + std::to_string(rank + 1) + " of " +
                                                 std::to_string(options.processes) + " cannot be started (" + reason +
                                                 "); start fewer with --processes");
            }
            ids_.push_back(id);
        }
    }

    bool all_ended() const {
        return std::all_of(ids_.begin(), ids_.end(), [](pid_t id) { return id == 0; });
    }

    void send(int signal) const {
        for (const pid_t id : ids_) {
            if (id > 0) {
                ::kill(id, signal);
            }
        }
    }

    // Takes note of those that have ended.
    void collect() {
        for (std::size_t rank = 0; rank < ids_.size(); ++rank) {
            pid_t& id = ids_[rank];
            int status = 0;
            if (id == 0 || ::waitpid(id, &status, WNOHANG) != id) {
                continue;
            }
            id = 0;
            const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            if (first_failure_ == 0) {
                first_failure_ = code;
                if (WIFSIGNALED(status)) {  // it could not say so itself
                    warn("rank " + std::to_string(rank) + " was ended by signal " + std::to_string(WTERMSIG(status)) +
                         " (" + ::strsignal(WTERMSIG(status)) + ")");
                }
            }
        }
    }

    int first_failure() const { return first_failure_; }

private:
    // Of the child of a fork: never returns.
    [[noreturn]] static void become(int rank, pid_t parent, const std::vector<char*>& arguments,
                                    const std::vector<char*>& environment, const HeldSignals& signals) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // so that it saves what it has done
        if (::getppid() != parent) {
            ::_exit(128 + SIGTERM);
        }
        if (rank > 0) {
            const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (nothing >= 0) {
                ::dup2(nothing, STDIN_FILENO);
            }
        }
        std::signal(SIGPIPE, SIG_DFL);
        std::signal(SIGXFSZ, SIG_DFL);
        ::sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
        ::execve(arguments.front(), arguments.data(), environment.data());
        ::_exit(127);
    }

    std::vector<pid_t> ids_;  // 0: has ended
    int first_failure_ = 0;
};

}  // namespace

int launch_processes(const LaunchOptions& options) {
    const MeetingFile meeting;
    const HeldSignals signals;
    Processes processes(options, meeting.place(), signals);
    Stopwatch since_failure;
    int last_words = 0;
    while (!processes.all_ended()) {
        siginfo_t info{};
        const int signal = signals.take(info);
        // The terminal sends its signals to all processes itself.
        if (signal != 0 && signal != SIGCHLD && info.si_code <= 0) {
            processes.send(signal);
        }
        const bool failed_before = processes.first_failure() != 0;
        processes.collect();
        if (processes.first_failure() == 0) {
            continue;
        }
        if (!failed_before) {
            since_failure = Stopwatch();
        }
        // One that is stopped can only be killed.
        if (last_words == 0 && since_failure.seconds() > seconds_to_end) {
            processes.send(SIGTERM);
            last_words = 1;
        } else if (last_words == 1 && since_failure.seconds() > 2 * seconds_to_end) {
            processes.send(SIGKILL);
            last_words = 2;
        }
    }
    return processes.first_failure();
}

}  // namespace softalign
