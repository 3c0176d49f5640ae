#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// For functions that kernels call (kernels/instruction_sets.h): a call that is not inlined would be compiled for the
// baseline.
#if defined(__GNUC__)
#define SOFTALIGN_INLINE __attribute__((always_inline)) inline
#else
#define SOFTALIGN_INLINE inline
#endif

// For loops whose steps are independent although their pointers may alias.
#if defined(__clang__)
#define SOFTALIGN_INDEPENDENT_STEPS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SOFTALIGN_INDEPENDENT_STEPS _Pragma("GCC ivdep")
#else
#define SOFTALIGN_INDEPENDENT_STEPS
#endif

namespace softalign {

// tanh without a branch, so that loops over it vectorise. The float form is a rational function of degree 13 over 6
// on [-7.905, 7.905], outside which tanh is 1 in float; its error is below 1e-6 of the value. The double form, which
// gradient checks use, is the library's.
SOFTALIGN_INLINE float vector_tanh(float x) {
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

SOFTALIGN_INLINE double vector_tanh(double x) {
    return std::tanh(x);
}

// e^x without a branch, for x <= 88; 0 below -87. With x = n ln 2 + r, |r| <= ln 2 / 2: 2^n times a polynomial of
// degree 6 in r; the error is below 3e-7 of the value. The double form is the library's.
SOFTALIGN_INLINE float vector_exp(float x) {
    constexpr float log2_e = 1.44269504088896341F;
    constexpr float ln2_high = 0.693359375F;  // few bits, so that n times it is exact
    constexpr float ln2_low = -2.12194440e-4F;
    constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number, in the low bits
    constexpr float lowest = -87.0F;
    const float clamped = x < lowest ? lowest : x;
    const float shifted = clamped * log2_e + to_integer;
    const float n = shifted - to_integer;
    const float r = (clamped - n * ln2_high) - n * ln2_low;
    float p = 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    std::int32_t bits = 0;
    std::memcpy(&bits, &shifted, sizeof(bits));
    bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits + 127) << 23);
    float power = 0.0F;
    std::memcpy(&power, &bits, sizeof(power));
    return x < lowest ? 0.0F : p * power;
}

SOFTALIGN_INLINE double vector_exp(double x) {
    return std::exp(x);
}

// ln x without a branch, for x >= 1e-37, and not infinity. With x = 2^n m, sqrt(1/2) <= m < sqrt(2): n ln 2 plus a
// polynomial of degree 11 in m - 1; the error is below 2e-7 of the value, or 1e-7 for x near 1.
SOFTALIGN_INLINE float vector_log(float x) {
    constexpr float ln2_high = 0.693359375F;  // few bits, so that n times it is exact
    constexpr float ln2_low = -2.12194440e-4F;
    constexpr std::int32_t root_of_half = 0x3f3504f3;  // sqrt(1/2)
    std::int32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    const std::int32_t exponent = (bits - root_of_half) >> 23;
    bits -= static_cast<std::int32_t>(static_cast<std::uint32_t>(exponent) << 23);
    float m = 0.0F;
    std::memcpy(&m, &bits, sizeof(m));
    m -= 1.0F;
    const auto n = static_cast<float>(exponent);
    float p = 7.0376836292e-2F;
    p = p * m - 1.1514610310e-1F;
    p = p * m + 1.1676998740e-1F;
    p = p * m - 1.2420140846e-1F;
    p = p * m + 1.4249322787e-1F;
    p = p * m - 1.6668057665e-1F;
    p = p * m + 2.0000714765e-1F;
    p = p * m - 2.4999993993e-1F;
    p = p * m + 3.3333331174e-1F;
    const float square = m * m;
    const float result = m + (p * m * square + n * ln2_low - 0.5F * square) + n * ln2_high;
    return x != x ? x : result;  // NaN stays
}

// sigma(x) = (1 + tanh(x/2)) / 2.
template <typename T>
SOFTALIGN_INLINE T vector_sigmoid(T x) {
    return static_cast<T>(0.5) * vector_tanh(static_cast<T>(0.5) * x) + static_cast<T>(0.5);
}

}  // namespace softalign
