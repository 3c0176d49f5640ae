#pragma once

namespace softalign {

// Lets the C library keep freed memory for the next request instead of giving it back to the system, for all threads
// from one pool. A loop that makes and drops the same large arrays again and again, as training does, otherwise has the
// system clear their pages each time. Does nothing where the C library is not glibc.
void keep_freed_memory();

}  // namespace softalign
