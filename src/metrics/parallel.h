#pragma once

#include <cstddef>
#include <functional>

namespace softalign {

// Calls action(begin, end) for pieces that make up 0..size, on several threads (0 = as many as the processor runs at
// once). What an action throws is thrown again here.
void in_parallel(std::size_t size, int threads, const std::function<void(std::size_t, std::size_t)>& action);

}  // namespace softalign
