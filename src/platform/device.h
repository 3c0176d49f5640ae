#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace softalign {

// The one place that knows which devices there are. automatic = CUDA where LibTorch was built with it and one is
// there, else the CPU. Throws Error(configuration) for cuda where there is none, saying why.
at::Device pick_device(DeviceChoice choice);

// "float32" or "bfloat16".
const char* name_of(Precision precision);

// The precision that products have on the device when this one is asked for: float32 where the device does not have it.
// Warns of that, and where it is slower than float32.
Precision pick_precision(Precision asked, const at::Device& device);

// "auto", "cpu" or "cuda" of a command line; Error(usage) for anything else.
DeviceChoice parse_device(const std::string& text);

// Waits until the device has done what it was given, so that a clock may be read. Nothing on the CPU.
void synchronize(const at::Device& device);

struct DeviceInfo {
    std::string name;          // "cpu", "cuda:0"
    std::string model;         // "NVIDIA H200", the processor's name; may be empty
    std::uint64_t memory = 0;  // bytes; 0 = unknown
};

// The CPU and every CUDA device that can be used.
std::vector<DeviceInfo> list_devices();

// Workers: `requested`, or the physical cores for 0; one for CUDA.
int worker_count(std::int64_t requested, const at::Device& device);

}  // namespace softalign
