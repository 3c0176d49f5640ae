#include "document/icu_status.h"

#include <new>
#include <string>

#include "base/error.h"

namespace softalign {

void require_icu(UErrorCode status, const char* what) {
    require_icu_memory(status);
    if (U_FAILURE(status)) {
        throw Error(ExitCode::internal, std::string("ICU cannot ") + what + ": " + u_errorName(status));
    }
}

void require_icu_memory(UErrorCode status) {
    if (status == U_MEMORY_ALLOCATION_ERROR) {
        throw std::bad_alloc();
    }
}

}  // namespace softalign
