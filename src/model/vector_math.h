#pragma once

#include <cmath>

// Loops marked so are compiled for AVX-512, AVX2 and the baseline, and the processor picks when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SOFTALIGN_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SOFTALIGN_MULTIVERSION
#endif

namespace softalign {

// tanh without a branch, so that loops over it vectorise. The float form is a rational function of degree 13 over 6
// on [-7.905, 7.905], outside which tanh is 1 in float; its error is below 1e-6 of the value. The double form, which
// gradient checks use, is the library's.
inline float vector_tanh(float x) {
    constexpr float limit = 7.90531110763549805F;
    x = x > limit ? limit : x;
    x = x < -limit ? -limit : x;
    const float s = x * x;
    float p = -2.76076847742355e-16F;
    p = p * s + 2.00018790482477e-13F;
    p = p * s - 8.60467152213735e-11F;
    p = p * s + 5.12229709037114e-08F;
    p = p * s + 1.48572235717979e-05F;
    p = p * s + 6.37261928875436e-04F;
    p = p * s + 4.89352455891786e-03F;
    float q = 1.19825839466702e-06F;
    q = q * s + 1.18534705686654e-04F;
    q = q * s + 2.26843463243900e-03F;
    q = q * s + 4.89352518554385e-03F;
    return x * p / q;
}

inline double vector_tanh(double x) {
    return std::tanh(x);
}

// sigma(x) = (1 + tanh(x/2)) / 2.
template <typename T>
inline T vector_sigmoid(T x) {
    return static_cast<T>(0.5) * vector_tanh(static_cast<T>(0.5) * x) + static_cast<T>(0.5);
}

}  // namespace softalign
