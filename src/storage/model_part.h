#pragma once

#include <ATen/ATen.h>

#include <string>

namespace softalign {

// What a part of a model directory has to be before it is used. A directory may come from anywhere: nothing outside it
// is read on its behalf, and nothing in it is waited for.

// Throws Error(model) where `path`, a file in `directory`, is something other than a regular file (a FIFO would be
// waited for, a device has no end), or a symbolic link that leads out of the directory. REQUIRES: it exists.
void require_part(const std::string& directory, const std::string& path);

// Throws Error(model), naming the tensor and the number, where one is not finite. `path`: the file it is from. Tensors
// of integers pass. REQUIRES: on the CPU and contiguous.
void require_finite(const std::string& path, const std::string& name, const at::Tensor& tensor);

}  // namespace softalign
