#include "platform/memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace softalign {

void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

}  // namespace softalign
