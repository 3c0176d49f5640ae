#include "base/precision.h"

#include "base/instructions.h"

namespace softalign {

bool gains_from_bfloat16() {
#if defined(__x86_64__) && defined(__GNUC__)
    return may_use_amx() || (may_use_avx512_bf16() && __builtin_cpu_is("intel") == 0);
#else
    return false;
#endif
}

}  // namespace softalign
