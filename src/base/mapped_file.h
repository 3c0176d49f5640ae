#pragma once

#include <cstddef>
#include <memory>

namespace softalign {

// The first `bytes` > 0 bytes of an open file as memory that may be written to, which the file does not see; for as
// long as one holds on to them. Null where they cannot be mapped.
std::shared_ptr<char> map_file(int descriptor, std::size_t bytes);

// The same as memory that is only read, a few bytes here and there: nothing is read ahead.
std::shared_ptr<const char> map_file_to_read(int descriptor, std::size_t bytes);

// Gives back the memory of the whole pages in [begin, begin + bytes) that belong to such a mapping, and does nothing
// elsewhere. They are read again when they are next used: what was written to them is lost.
void let_go_of_mapped(const void* begin, std::size_t bytes);

}  // namespace softalign
