#include "platform/blas_symbols.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <climits>
#include <cstdlib>
#include <string>

namespace softalign {

BlasLibrary::BlasLibrary() {
    void* const sgemm = ::dlsym(RTLD_DEFAULT, "sgemm_");
    Dl_info where{};
    if (sgemm == nullptr || ::dladdr(sgemm, &where) == 0 || where.dli_fname == nullptr) {
        return;
    }
    char resolved[PATH_MAX];
    path_ = ::realpath(where.dli_fname, resolved) != nullptr ? resolved : where.dli_fname;
    handle_ = ::dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void* BlasLibrary::symbol(const char* name) const {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

std::string BlasLibrary::call_for_text(const char* name) const {
    using Function = const char* (*)();
    const auto function = reinterpret_cast<Function>(symbol(name));
    const char* const text = function == nullptr ? nullptr : function();
    return text == nullptr ? "" : text;
}

}  // namespace softalign
