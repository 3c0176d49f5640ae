#pragma once

#include <exception>

namespace softalign {

// Whether an exception says that memory was asked for and was not to be had: std::bad_alloc, or what LibTorch throws of
// the CPU's memory or a GPU's.
bool is_out_of_memory(const std::exception& error);

}  // namespace softalign
