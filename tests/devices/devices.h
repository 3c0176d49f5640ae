#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <string>
#include <vector>

#include "devices/counting_device.h"
#include "platform/device.h"

namespace softalign {

// The device on which tests compare results with those of the CPU: CUDA where there is one, else one that counts
// copies. Not both, because LibTorch's autograd serves one kind of device at a time.
inline std::vector<at::Device> devices_beside_cpu() {
    return {torch::cuda::is_available() ? pick_device(DeviceChoice::cuda) : counting_device()};
}

// For tests of what is counted.
#define SOFTALIGN_SKIP_WITHOUT_COUNTING_DEVICE()                                  \
    if (torch::cuda::is_available()) {                                            \
        GTEST_SKIP() << "there is a GPU, beside which no other device can count"; \
    }                                                                             \
    static_assert(true, "")

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
