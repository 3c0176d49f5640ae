#pragma once

#include <cstddef>
#include <functional>

namespace softalign {

// Splits 0..size into ranges and calls action(begin, end) for each, on this number of threads (0 = as many as the
// processor has hardware threads), or on fewer if the system cannot start as many. Rethrows an action's exception.
void in_parallel(std::size_t size, int threads, const std::function<void(std::size_t, std::size_t)>& action);

}  // namespace softalign
