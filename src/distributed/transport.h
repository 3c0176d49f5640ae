#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "config/config.h"
#include "distributed/launch_environment.h"

namespace softalign {

// An exchange that did not happen. what() is the library's word for it.
class LinkFailure : public std::runtime_error {
public:
    LinkFailure(int partner, bool timed_out, const std::string& what)
        : std::runtime_error(what), partner_(partner), timed_out_(timed_out) {}

    int partner() const { return partner_; }
    bool timed_out() const { return timed_out_; }  // else the connection has broken

private:
    int partner_;
    bool timed_out_;
};

// What moves bytes between processes, and a board on which they leave notes for each other.
class Transport {
public:
    virtual ~Transport() = default;

    // Notes. Any of these throws LinkFailure(partner 0) if the process that keeps the board is gone.
    virtual void post(const std::string& key, const std::string& value) = 0;
    virtual std::optional<std::string> look(const std::string& key) = 0;
    virtual std::int64_t count(const std::string& key) = 0;  // adds 1; returns the sum

    // This process is none of the run's: it leaves nothing behind, and takes nothing away.
    virtual void withdraw() = 0;

    // Connects all processes with each other, from this one's network interface. `elsewhere`: some are on other
    // machines, which cannot reach a loopback address.
    virtual void connect(bool elsewhere) = 0;

    // Closes these connections; the board stays. REQUIRES: no thread is in exchange().
    virtual void disconnect() = 0;

    // How tensors of this device are exchanged: by NCCL, or by way of the host. All processes call it at the same time.
    // Throws Error(configuration) if runtime.distributed.backend cannot be had, and LinkFailure.
    virtual void use_device(const at::Device& device) = 0;

    // Sends and receives at the same time; a tensor that is undefined is not sent or received. They are contiguous, and
    // on the CPU or another device. Several threads may call it at the same time, each with another partner, but only
    // one with tensors of a device. Throws LinkFailure.
    virtual void exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) = 0;
};

// Whether the program was built with what processes need to talk to each other.
bool has_transport();

// Reaches the board. Throws Error(processes): it cannot be reached or the port is in use, or !has_transport();
// configuration for a rendezvous that is none.
std::unique_ptr<Transport> make_transport(const LaunchEnvironment& place, const DistributedConfig& config);

}  // namespace softalign
