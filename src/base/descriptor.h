#pragma once

#include <sys/types.h>

#include <cstddef>

namespace softalign {

// read(2) and write(2) for descriptors that others may have made non-blocking: another process that shares the open
// file, such as a parent that serves many pipes, sets that for all of them. Both go on after a signal, and wait where
// the descriptor would have blocked.

// The bytes read, 0 at the end, or -1 with errno set.
ssize_t read_some(int descriptor, void* data, std::size_t size);

// The bytes written, at least one where size > 0, or -1 with errno set.
ssize_t write_some(int descriptor, const void* data, std::size_t size);

// Writes all of it. False, with errno set, where that cannot be.
bool write_all(int descriptor, const char* data, std::size_t size);

// Whether errno says that a non-blocking descriptor is not ready.
bool not_ready(int error_number);

}  // namespace softalign
