#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace softalign {

// The only code that knows which devices exist. automatic = CUDA if LibTorch supports it and a device is present, else
// the CPU. Throws Error(configuration), with the reason, if cuda is asked for and not available, or if there are fewer
// devices than processes on this machine. `local_rank`: the number of this process among them, which is that of its
// device, unless the launcher shows it one device only.
at::Device pick_device(DeviceChoice choice, int local_rank = 0);

// "float32", "bfloat16" or "int8".
const char* name_of(Precision precision);

// The precision that products have on the device when this one is asked for: float32 where the device does not have it.
// Warns of that, and where it is slower than float32. On CUDA, bfloat16 is float32 in which the libraries of the whole
// process may round factors to TF32 (8 bits of exponent, 10 of mantissa).
Precision pick_precision(Precision asked, const at::Device& device);

// Whether tensors on the device lie in the memory of the process, as on the CPU: a fork copies them, and peak_memory()
// counts them.
bool is_in_process(const at::Device& device);

// Parses "auto", "cpu" or "cuda" from a command line; throws Error(usage) for anything else.
DeviceChoice parse_device(const std::string& text);

// Waits until the device has finished its work, so that time can be measured. Does nothing on the CPU.
void synchronize(const at::Device& device);

struct DeviceInfo {
    std::string name;          // "cpu", "cuda:0"
    std::string model;         // "NVIDIA H200", the processor's name; may be empty
    std::uint64_t memory = 0;  // bytes; 0 = unknown
};

// The CPU and every usable CUDA device.
std::vector<DeviceInfo> list_devices();

// The number of workers: `requested`, or the number of physical cores if that is 0; 1 for CUDA.
int worker_count(std::int64_t requested, const at::Device& device);

}  // namespace softalign
