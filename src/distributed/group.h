#pragma once

#include <ATen/ATen.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "distributed/endings.h"
#include "distributed/launch_environment.h"
#include "distributed/roster.h"
#include "distributed/transport.h"
#include "platform/numa.h"

namespace softalign {

// For require_same: what depends on the processors, and not on files and options.
inline constexpr char bfloat16_instructions[] = "instruction set for bfloat16";

// The processes of a run. All of them call the same operations in the same order; one that cannot go on says so with
// fail(), and the others, in whatever operation they are, end with its reason.
//
// Every operation throws Error: with the code and the reason of a process that failed, or processes if one is gone or
// has not answered within runtime.distributed.timeout. The message names its rank and host.
class Group {
public:
    // This process alone: every operation returns at once.
    Group() = default;

    // Meets the others. Throws Error: processes, naming those that did not come, that came twice, or that run another
    // version or command; configuration. `advice`: what to do when a process is gone, for messages.
    Group(const LaunchEnvironment& place, const DistributedConfig& config, const std::string& command = "train",
          std::string advice = "training goes on from the last checkpoint with --resume");
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_alone() const { return size_ == 1; }
    bool is_first() const { return rank_ == 0; }
    int local_rank() const { return local_rank_; }  // among the processes on this machine

    // The processes, this one included, that may use exactly the processors that this one may use, in order of rank.
    Share share_of_processors() const;

    // "rank 2 (hostb)"
    std::string name_of(int rank) const;

    // Call before tensors of a device other than the CPU are exchanged; all processes do so at the same time. Throws
    // Error(configuration), too, if runtime.distributed.backend cannot be had there.
    void use_device(const at::Device& device);

    // Sends one contiguous tensor to `to` and fills another from `from`; either may be undefined.
    void exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received);

    // Sends and receives bytes. The receiver waits as long as signs of life come from the other one at least every
    // runtime.distributed.timeout. Several threads may do so at the same time, each with another process.
    void send(int to, const std::string& bytes);
    void send_sign_of_life(int to);
    std::string receive(int from);

    // Throws what ended another process, if it has said so.
    void throw_if_failed();

    double timeout() const { return timeout_; }

    // What every process gave, by rank.
    std::vector<std::string> gather(const std::string& mine);

    // Waits, however long it takes, until rank 0 has come here as well, as long as that one lives. Once a run.
    void wait_for_first();

    // What rank 0 has goes to all. The tensors are contiguous and of one shape and type everywhere.
    std::string broadcast(const std::string& bytes);
    void broadcast(const at::Tensor& values);

    // Throws difference() if a process has another value of `what` than rank 0.
    void require_same(const std::string& what, const std::string& mine);

    // The error for a process that has `theirs` where rank 0 has `first`: Error(processes) for bfloat16_instructions,
    // otherwise Error(configuration).
    Error difference(int rank, const std::string& what, const std::string& theirs, const std::string& first) const;

    // Tells the others why this process ends. False, and nothing done, where it is alone, or where it ends because of
    // another one.
    bool fail(ExitCode code, const std::string& reason) noexcept;

    // Calls `work`, which all processes do, and finish(). What `work` throws ends the others as well.
    void run(const std::function<void()>& work);

    // Call at the end of work that went well: no process leaves before all have come here.
    void finish();

    // Bytes that this process sent to others.
    std::int64_t bytes_sent() const { return bytes_sent_; }

private:
    void come_as_the_only_one(const std::string& place);
    void meet();
    void show_signs_of_life();
    void stop_heart();
    void send_text(int to, const std::string& text, int from, std::string& received);

    int rank_ = 0;
    int size_ = 1;
    int local_rank_ = 0;
    double timeout_ = 0.0;  // seconds
    Roster roster_{0, 1, ""};
    std::unique_ptr<Transport> transport_;  // null where this process is alone, as is the next
    std::unique_ptr<Endings> endings_;
    std::atomic<std::int64_t> bytes_sent_{0};
    bool finished_ = false;
    std::thread heart_;  // of rank 0, until the others need not wait for it
    std::promise<void> stop_heart_;
};

// A group of this process alone, for all that needs no other.
Group& one_process();

}  // namespace softalign
