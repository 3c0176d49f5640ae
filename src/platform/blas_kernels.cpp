#include "platform/blas_kernels.h"

#include <stdlib.h>

#include <cstdlib>
#include <string>

#include "platform/blas.h"
#include "platform/processor.h"

namespace softalign {

namespace {

// Lets OpenBLAS choose its kernels again, as if it had found the variable when it was loaded: two functions of its that
// are for no one else, but open to all in builds for several processors. False where they are missing or did not help.
bool choose_again(const std::string& core_type, const BlasLibrary& blas) {
    using Function = void (*)();
    const auto forget = reinterpret_cast<Function>(blas.symbol("gotoblas_dynamic_quit"));
    const auto choose = reinterpret_cast<Function>(blas.symbol("gotoblas_dynamic_init"));
    if (forget == nullptr || choose == nullptr) {
        return false;
    }
    ::setenv(core_type_variable, core_type.c_str(), 1);
    forget();
    choose();
    ::unsetenv(core_type_variable);
    return !lacks_avx512(blas.call_for_text("openblas_get_corename"));
}

}  // namespace

std::string choose_blas_kernels(const BlasLibrary& blas) {
    if (std::getenv(core_type_variable) != nullptr) {
        return "";
    }
    const std::string core_type = better_core_type(blas.call_for_text("openblas_get_corename"),
                                                   blas.call_for_text("openblas_get_config"), processor_has_avx512());
    return core_type.empty() || choose_again(core_type, blas) ? "" : core_type;
}

}  // namespace softalign
