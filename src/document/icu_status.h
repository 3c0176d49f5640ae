#pragma once

#include <unicode/utypes.h>

namespace softalign {

// Throws std::bad_alloc if ICU had no memory, and Error(internal), "ICU cannot <what>: <status>", if it failed
// otherwise.
void require_icu(UErrorCode status, const char* what);

// Throws std::bad_alloc if ICU had no memory. For callers that report other failures themselves.
void require_icu_memory(UErrorCode status);

}  // namespace softalign
