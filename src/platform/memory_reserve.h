#pragma once

namespace softalign {

// Address space that a process gets back when it runs out of memory, so that what has failed can be ended: destructors
// that take memory, such as those of nlohmann's JSON, would end the program. The first failure of `new` is tried again
// with a part of it; the next throws std::bad_alloc and leaves the rest to the destructors.
class MemoryReserve {
public:
    // One at a time in a process: it is the handler of failures of `new`.
    MemoryReserve();
    ~MemoryReserve();
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;

    // Takes back what is missing, as far as there is memory again. From any thread.
    static void refill();
};

}  // namespace softalign
