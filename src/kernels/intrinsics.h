#pragma once

// What kernels written with x86 intrinsics share.
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SOFTALIGN_X86

namespace softalign {

// Which versions may be chosen, if the processor has them; SOFTALIGN_ONE_VERSION as in vector_math.h.
#if !defined(SOFTALIGN_ONE_VERSION) || defined(__AVX512F__)
constexpr bool may_use_avx512 = true;
#else
constexpr bool may_use_avx512 = false;
#endif
#if !defined(SOFTALIGN_ONE_VERSION) || defined(__AVX2__)
constexpr bool may_use_avx2 = true;
#else
constexpr bool may_use_avx2 = false;
#endif

}  // namespace softalign

#endif
