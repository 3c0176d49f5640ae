#pragma once

#include <exception>

namespace softalign {

// Whether an exception reports that memory ran out: std::bad_alloc, or LibTorch's exceptions for the memory of the CPU
// or of a GPU.
bool is_out_of_memory(const std::exception& error);

}  // namespace softalign
