#pragma once

#include <ATen/ATen.h>

#include <string>

#include "storage/safetensors.h"

namespace softalign {

// Checks of the files of a model directory before they are used. A directory may come from an untrusted source: it must
// not make the program read anything outside it, or wait.

// Throws Error(model) if `path`, a file in `directory`, is not a regular file (a FIFO would block, a device has no end)
// or is a symbolic link to outside the directory. REQUIRES: it exists.
void require_part(const std::string& directory, const std::string& path);

// Throws Error(model), naming the tensor and the element, if an element is not finite. `path`: the tensor's file.
// Integer tensors always pass. REQUIRES: on the CPU and contiguous.
void require_finite(const std::string& path, const std::string& name, const at::Tensor& tensor);

// Throws Error(model) if `file`, read from `path`, is a checkpoint for train --resume: it has the weights under other
// names, beside the optimiser's state.
void require_weights_alone(const std::string& path, const TensorFile& file);

}  // namespace softalign
