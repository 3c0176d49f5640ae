#pragma once

namespace softalign {

// Makes the C library keep freed memory for reuse instead of returning it to the system, in one pool for all threads.
// In a loop that allocates and frees the same large arrays again and again, as training does, the system would
// otherwise clear their pages each time. Does nothing if the C library is not glibc.
void keep_freed_memory();

}  // namespace softalign
