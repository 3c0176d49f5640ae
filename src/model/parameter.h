#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace softalign {

// A float32 parameter that takes no memory: one number stands for all, and LibTorch refuses to write to it in place.
// So a model tells how large it is before it has weights, which initialize_parameters(), a file, or the vector that
// holds the weights of a training gives it.
inline at::Tensor declared_parameter(at::IntArrayRef sizes, float value = 0.0F) {
    const at::Tensor number = at::full({1}, value);
    const std::vector<std::int64_t> strides(sizes.size(), 0);
    return at::from_blob(
        number.data_ptr(), sizes, strides, [number](void*) {}, at::kFloat);
}

}  // namespace softalign
