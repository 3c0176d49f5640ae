#pragma once

#include <type_traits>

#include "base/instructions.h"
#include "kernels/vector_math.h"

// For kernels of which the compiler makes a version for each instruction set, and those written with intrinsics.
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SOFTALIGN_X86
#elif defined(__aarch64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#include <arm_neon.h>
#define SOFTALIGN_ARM
#endif

namespace softalign {

#ifdef SOFTALIGN_X86
namespace detail {

template <typename Body>
[[gnu::target("avx512f"), gnu::noinline]] auto for_avx512(const Body body) {
    return body();
}

template <typename Body>
[[gnu::target("avx2"), gnu::noinline]] auto for_avx2(const Body body) {
    return body();
}

}  // namespace detail
#endif

// Runs `body`, compiled for AVX-512, AVX2 and the baseline, with the best of the instruction sets in use. It is a
// lambda with SOFTALIGN_INLINE_BODY that captures copies and calls functions that are SOFTALIGN_INLINE: what is not
// inlined is compiled for the baseline.
template <typename Body>
auto with_best_instructions(const Body body) {
#ifdef SOFTALIGN_X86
    switch (instructions()) {
        case Instructions::amx:
        case Instructions::avx512:
            return detail::for_avx512(body);
        case Instructions::avx_vnni:
        case Instructions::avx2:
            return detail::for_avx2(body);
        default:
            break;
    }
#endif
    return body();
}

// The same for a kernel of T: float64, which gradient checks use, has one version, whose results are the same bits
// everywhere.
template <typename T, typename Body>
auto with_instructions_for(const Body body) {
    if constexpr (std::is_same_v<T, float>) {
        return with_best_instructions(body);
    } else {
        return body();
    }
}

}  // namespace softalign

#if defined(__GNUC__)
#define SOFTALIGN_INLINE_BODY __attribute__((always_inline))
#else
#define SOFTALIGN_INLINE_BODY
#endif
