#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <string>
#include <vector>

#include "devices/counting_device.h"

namespace softalign {

// The devices on which tests compare results with those of the CPU: one that counts copies, and CUDA where there is
// one.
inline std::vector<at::Device> devices_beside_cpu() {
    std::vector<at::Device> devices = {counting_device()};
    if (torch::cuda::is_available()) {
        devices.emplace_back(at::kCUDA, 0);
    }
    return devices;
}

// The name of a parameterised test.
inline std::string device_name(const testing::TestParamInfo<at::Device>& info) {
    return info.param.is_cuda() ? "Cuda" : "Counting";
}

// A tensor that waits for no copy and shares nothing: the same numbers on the device, with a gradient wanted or not.
inline at::Tensor on_device(const at::Tensor& x, const at::Device& device) {
    return x.defined() ? x.detach().to(device, /*non_blocking=*/false, /*copy=*/true).requires_grad_(x.requires_grad())
                       : x;
}

}  // namespace softalign
