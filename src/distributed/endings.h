#pragma once

#include <atomic>
#include <string>

#include "base/error.h"
#include "distributed/roster.h"
#include "distributed/transport.h"

namespace softalign {

// Why the processes of a run end. One that cannot go on leaves its reason on the board, where all others find it; one
// that is gone, or silent, is named by those that waited for it. The first reason counts, and all end with it.
class Endings {
public:
    // REQUIRES: transport and roster outlive this. `timeout`: seconds, for messages. `advice`: what to do when a
    // process is gone, the end of a message.
    Endings(Transport& transport, const Roster& roster, int rank, int size, double timeout, std::string advice);

    // Throws what ended another process, if it has said so.
    void throw_if_failed();

    // Throws what is behind an exchange that did not happen: the reason of the process that failed first, or that one
    // is gone, or has not answered.
    [[noreturn]] void explain(const LinkFailure& failure);

    // Throws that a process has not answered in time, once the others know.
    [[noreturn]] void blame_silence(int rank);

    // Tells the others why this process ends. False, and nothing done, where it ends because of another one.
    bool fail(ExitCode code, const std::string& reason) noexcept;

    // Closes the connections. The board goes with rank 0, which waits a while until the others have read it: up to five
    // seconds. softalign launch must be more patient.
    void leave() noexcept;

private:
    [[noreturn]] void blame(int rank, const std::string& reason);
    std::string silence() const;

    Transport& transport_;
    const Roster& roster_;
    int rank_;
    int size_;
    double timeout_;
    std::string advice_;
    std::atomic<bool> failed_{false};
    std::atomic<int> gone_{0};  // processes that are known to have ended without a word
};

}  // namespace softalign
