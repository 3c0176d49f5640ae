#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace softalign {

// A tensor of the host on a device; on the CPU, itself. The host does not wait for the copy, as LibTorch would, and may
// free the tensor at once: CUDA takes what is in pageable memory before it returns.
inline at::Tensor to_device(const at::Tensor& of_host, const at::Device& device) {
    return of_host.to(of_host.options().device(device), /*non_blocking=*/true);
}

// The same of numbers: [n] int64.
inline at::Tensor to_device(const std::vector<std::int64_t>& numbers, const at::Device& device) {
    return to_device(at::tensor(numbers, at::kLong), device);
}

}  // namespace softalign
