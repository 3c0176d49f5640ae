#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "faults/call_log.h"

namespace softalign::faults {

// What happens to the calls from the `first` to the `last`, counted from 1.
enum class Fault {
    none,
    kill,       // SIGKILL when the call has taken effect; a write has written half
    power_cut,  // the same, and what was written without an fsync is lost
    fail,       // the call does nothing and fails, with an error that is usual for it
    full_disk,  // calls that need room fail with ENOSPC, the others work
};

struct Plan {
    std::string directory;  // calls that concern it, or files below it, are counted
    Fault fault = Fault::none;
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool allocations = false;  // those are counted instead: operator new and posix_memalign, in any thread
};

// The faults of this process. The functions of replaced_calls.cpp ask it.
class Injection {
public:
    static Injection& instance();

    // REQUIRES: the log is there until the process ends.
    void start(const Plan& plan, CallLog& log);

    bool concerns(const char* path) const;
    bool concerns(int descriptor) const { return !path_of(descriptor).empty(); }
    const std::string& path_of(int descriptor) const;

    // What happened to files, whose bytes a power cut may take.
    void opened(int descriptor, const std::string& path);
    void closed(int descriptor);
    void synced(int descriptor);
    void cut(int descriptor);
    void linked(const char* from, const char* to);
    void renamed(const char* from, const char* to);
    void removed(const char* path) { safe_.erase(path); }

    // Counts a call; what is to happen to it. `needs_room`: on the disk.
    Fault next(Call call, const std::string& path, bool needs_room);

    // Whether the call fails, with errno set.
    static bool fails(Fault fault, Call call);
    // The end of the process where that is the fault.
    void end_if(Fault fault) const;

    bool allocation_fails();

private:
    static constexpr int most_files = 1024;

    Plan plan_;
    CallLog* log_ = nullptr;
    std::atomic<bool> active_{false};
    std::array<std::string, most_files> files_;  // by descriptor; empty where it does not concern us
    std::map<std::string, off_t> safe_;          // bytes that a power cut leaves, by path: of the files opened
};

}  // namespace softalign::faults
