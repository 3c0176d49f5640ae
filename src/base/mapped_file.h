#pragma once

#include <cstddef>
#include <memory>

namespace softalign {

// Maps the first `bytes` > 0 bytes of an open file copy-on-write: writing to the memory leaves the file unchanged. The
// mapping lasts as long as the pointer. Null if they cannot be mapped.
std::shared_ptr<char> map_file(int descriptor, std::size_t bytes);

// The same, read-only, for random access: the system does not read ahead.
std::shared_ptr<const char> map_file_to_read(int descriptor, std::size_t bytes);

// Releases the whole pages in [begin, begin + bytes) if they belong to such a mapping; does nothing otherwise. The next
// access reads them from the file again, so anything written to them is lost.
void let_go_of_mapped(const void* begin, std::size_t bytes);

}  // namespace softalign
