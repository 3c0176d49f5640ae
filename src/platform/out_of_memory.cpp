#include "platform/out_of_memory.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <string>

namespace softalign {

bool is_out_of_memory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return true;
    }
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    if (torch == nullptr) {
        return false;
    }
    // The CPU's allocator has no exception of its own, and a GPU's not in every version: the words are what there is.
    const std::string text = torch->what_without_backtrace();
    const char* const words[] = {"can't allocate memory", "not enough memory", "out of memory"};
    return std::any_of(std::begin(words), std::end(words),
                       [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace softalign
