#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace softalign {

// What went between a CountingDevice and the host, of all threads.
struct Traffic {
    std::int64_t to_device = 0;  // copies
    std::int64_t to_device_bytes = 0;
    std::int64_t waits = 0;  // of these copies, those for which the host waits
    std::int64_t to_host = 0;
    std::int64_t to_host_bytes = 0;
    std::int64_t reads = 0;  // numbers the host has asked for: item(), and sizes that depend on values, as in nonzero()
};

// A device for tests on machines without any: LibTorch treats it as it treats CUDA, with copies, a guard, and a thread
// of its own for the backward pass. Every operation is computed by the CPU's kernel. The addresses of its memory cannot
// be read or written by the host, so code that takes a tensor of the device for one of the CPU ends the process.
at::Device counting_device();

// Since the start of the process.
Traffic traffic();

// Since `before`.
Traffic traffic_since(const Traffic& before);

}  // namespace softalign
