#include "platform/operator_threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace softalign {

namespace {

using SetThreads = void (*)(int);

// The function of the OpenMP library that LibTorch uses; a program may have several. Its setting is that of a thread.
SetThreads find_omp_set_num_threads() {
    Dl_info where{};
    void* library = nullptr;
    if (::dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &where) != 0 && where.dli_fname != nullptr) {
        library = ::dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    return reinterpret_cast<SetThreads>(::dlsym(library != nullptr ? library : RTLD_DEFAULT, "omp_set_num_threads"));
}

}  // namespace

int operator_threads() {
    return at::get_num_threads();
}

void set_operator_threads(int threads) {
    static const SetThreads omp_set_num_threads = find_omp_set_num_threads();
    at::get_num_threads();  // LibTorch sets a thread up at the first call, and not again
    if (omp_set_num_threads != nullptr) {
        omp_set_num_threads(threads);
    }
    if (at::get_num_threads() != threads) {
        at::set_num_threads(threads);
    }
}

}  // namespace softalign
