#include "kernels/int8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/instruction_sets.h"
#include "kernels/product_blocks.h"
#include "kernels/tiles.h"
#include "kernels/vector_math.h"

// This file is compiled with -ffp-contract=off: a multiplication and an addition that became one instruction would make
// results depend on the processor.

namespace softalign {

namespace {

constexpr std::int32_t infinity_bits = 0x7F800000;
// Bytes of b hold its numbers plus this, for VNNI multiplies unsigned bytes by signed ones.
constexpr std::int32_t excess = 128;

// Magnitudes compare like the integers that their bits are, and NaN is above infinity, so that nothing is missed.
SOFTALIGN_INLINE std::int32_t largest_bits(const float* x, std::int64_t count) {
    std::int32_t largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int32_t bits = 0;
        std::memcpy(&bits, x + i, sizeof bits);
        bits &= 0x7FFFFFFF;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

SOFTALIGN_INLINE float float_of(std::int32_t bits) {
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// The smallest number of 16 significant bits that is not below largest / 127.
SOFTALIGN_INLINE float scale_for(float largest) {
    const float least = largest / 127.0F;
    std::int32_t bits = 0;
    std::memcpy(&bits, &least, sizeof bits);
    return float_of((bits + 0xFF) & ~0xFF);
}

// c = start + sum * (row's scale * column's scale).
SOFTALIGN_INLINE void store_row(const ProductBlock<Int8Quad>& block, std::int64_t row, const std::int32_t* sums) {
    const float of_row = block.scales.of_rows[row];
    const float* start = block.start + (block.start != nullptr ? row * block.start_stride : 0);
    float* c = block.c + row * block.c_stride;
    for (std::int64_t j = 0; j < block.columns; ++j) {
        const float product = static_cast<float>(sums[j]) * (of_row * block.scales.of_columns[j]);
        c[j] = block.start != nullptr ? start[j] + product : product;
    }
}

#ifdef SOFTALIGN_X86

// A row times twelve registers of 4 sums, two for each column, for half a panel at a time: bytes become 16 bits, whose
// products are added in pairs. For every x86 processor.
void sse2_block(const ProductBlock<Int8Quad>& block) {
    constexpr std::int64_t half = panel_width / 2;
    constexpr std::int64_t loads = half / 4;
    const __m128i sign_bits = _mm_set1_epi8(static_cast<char>(excess));
    alignas(16) std::int32_t of_row[panel_width];
    for (std::int64_t begin = 0; begin < panel_width; begin += half) {
        __m128i sums[2 * loads];
        for (__m128i& sum : sums) {
            sum = _mm_setzero_si128();
        }
        for (std::int64_t k = 0; k < block.units; ++k) {
            const auto* b = reinterpret_cast<const __m128i*>(block.b + k * panel_width + begin);
            const __m128i quad = _mm_set1_epi32(block.a[k]);
            const __m128i a = _mm_srai_epi16(_mm_unpacklo_epi8(quad, quad), 8);
#pragma GCC unroll 6
            for (std::int64_t i = 0; i < loads; ++i) {
                const __m128i of_b = _mm_xor_si128(_mm_load_si128(b + i), sign_bits);
                const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(of_b, of_b), 8);
                const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(of_b, of_b), 8);
                sums[2 * i] = _mm_add_epi32(sums[2 * i], _mm_madd_epi16(low, a));
                sums[2 * i + 1] = _mm_add_epi32(sums[2 * i + 1], _mm_madd_epi16(high, a));
            }
        }
        for (std::int64_t i = 0; i < loads; ++i) {
            const __m128 first = _mm_castsi128_ps(sums[2 * i]);
            const __m128 second = _mm_castsi128_ps(sums[2 * i + 1]);
            const __m128i even = _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
            const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1)));
            _mm_store_si128(reinterpret_cast<__m128i*>(of_row + begin + 4 * i), _mm_add_epi32(even, odd));
        }
    }
    store_row(block, 0, of_row);
}

ProductKernels<Int8Quad> portable_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {sse2_block};
    return {kernels, 1};
}

#else

// The loop in plain C++. Terms are added one by one across the panel, and those of a column at the end.
template <int rows>
void portable_block(const ProductBlock<Int8Quad>& block) {
    constexpr std::int64_t width = panel_width * quad_terms;
    std::int32_t sums[rows][width] = {};
    std::int16_t of_b[width];
    for (std::int64_t k = 0; k < block.units; ++k) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(block.b + k * panel_width);
        for (std::int64_t i = 0; i < width; ++i) {
            of_b[i] = static_cast<std::int16_t>(bytes[i] - excess);
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            std::int8_t a[quad_terms];
            std::memcpy(a, block.a + r * block.a_stride + k, sizeof a);
            for (std::int64_t i = 0; i < width; ++i) {
                sums[r][i] += of_b[i] * static_cast<std::int16_t>(a[i % quad_terms]);
            }
        }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int32_t of_row[panel_width];
        for (std::int64_t j = 0; j < panel_width; ++j) {
            const std::int32_t* terms = sums[r] + j * quad_terms;
            of_row[j] = terms[0] + terms[1] + terms[2] + terms[3];
        }
        store_row(block, r, of_row);
    }
}

ProductKernels<Int8Quad> portable_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {portable_block<1>, portable_block<2>};
    return {kernels, 2};
}

#endif

#ifdef SOFTALIGN_X86

__attribute__((target("avx512f"), always_inline)) inline __mmask16 lanes(std::int64_t count) {
    return static_cast<__mmask16>(count >= 16 ? 0xFFFFU : count <= 0 ? 0U : (1U << static_cast<unsigned>(count)) - 1U);
}

// 16 of the columns of a block.
struct Columns {
    __mmask16 mask;
    __m512 scales;
};

__attribute__((target("avx512f"), always_inline)) inline Columns columns_of(const ProductBlock<Int8Quad>& block,
                                                                            std::int64_t sixteen) {
    const __mmask16 mask = lanes(block.columns - 16 * sixteen);
    return {mask, _mm512_maskz_loadu_ps(mask, block.scales.of_columns + 16 * sixteen)};
}

// As store_row.
__attribute__((target("avx512f"), always_inline)) inline void store_scaled(const ProductBlock<Int8Quad>& block,
                                                                           std::int64_t row, std::int64_t sixteen,
                                                                           const Columns& columns, __m512i sums) {
    const __m512 scales = _mm512_mul_ps(_mm512_set1_ps(block.scales.of_rows[row]), columns.scales);
    __m512 result = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(columns.mask, sums), scales);
    if (block.start != nullptr) {
        const float* const start = block.start + row * block.start_stride + 16 * sixteen;
        result = _mm512_add_ps(_mm512_maskz_loadu_ps(columns.mask, start), result);
    }
    _mm512_mask_storeu_ps(block.c + row * block.c_stride + 16 * sixteen, columns.mask, result);
}

// sums += four terms each. By hand, because GCC copies the sums of _mm512_dpbusd_epi32 from register to register, and
// those of eight rows to memory, which takes three times as long.
__attribute__((target("avx512f,avx512vnni"), always_inline)) inline void add_terms(__m512i& sums, __m512i b,
                                                                                   __m512i factor) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(b), "v"(factor));
}

// All loops over sums are unrolled: with an index known only at run time, they would be kept in memory everywhere.

// Eight rows times three registers of 16 sums, as product_blocks.cpp has them: four terms in one instruction.
template <int rows>
__attribute__((target("avx512f,avx512vnni"))) void avx512_vnni_block(const ProductBlock<Int8Quad>& given) {
    const ProductBlock<Int8Quad> block = given;  // a copy, which no store can change
    __m512i sums[rows][3];
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 3
        for (std::int64_t i = 0; i < 3; ++i) {
            sums[r][i] = _mm512_set1_epi32(-excess * block.scales.row_sums[r]);
        }
    }
    const Int8Quad* b = block.b;
    for (std::int64_t k = 0; k < block.units; ++k, b += panel_width) {
        const __m512i b0 = _mm512_load_si512(b);
        const __m512i b1 = _mm512_load_si512(b + 16);
        const __m512i b2 = _mm512_load_si512(b + 32);
        for (std::int64_t i = 0; i < 3; ++i) {
            _mm_prefetch(reinterpret_cast<const char*>(b + 16 * panel_width + 16 * i), _MM_HINT_T0);
        }
#pragma GCC unroll 8
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m512i factor = _mm512_set1_epi32(block.a[r * block.a_stride + k]);
            add_terms(sums[r][0], b0, factor);
            add_terms(sums[r][1], b1, factor);
            add_terms(sums[r][2], b2, factor);
        }
    }
#pragma GCC unroll 3
    for (std::int64_t i = 0; i < 3; ++i) {
        const Columns columns = columns_of(block, i);
#pragma GCC unroll 8
        for (std::int64_t r = 0; r < rows; ++r) {
            store_scaled(block, r, i, columns, sums[r][i]);
        }
    }
}

ProductKernels<Int8Quad> avx512_vnni_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {
        avx512_vnni_block<1>, avx512_vnni_block<2>, avx512_vnni_block<3>, avx512_vnni_block<4>,
        avx512_vnni_block<5>, avx512_vnni_block<6>, avx512_vnni_block<7>, avx512_vnni_block<8>};
    return {kernels, 8};
}

// Three tiles of sums.
template <int rows>
__attribute__((target("amx-tile,amx-bf16,amx-int8,avx512f"))) void tile_block(const ProductBlock<Int8Quad>& block) {
    alignas(64) std::int32_t sums[tile_rows][panel_width];
    clear_tiles();
    add_to_tiles(block.a, block.a_stride, block.b, block.units);
    store_tiles(sums, panel_width);
    for (std::int64_t i = 0; i < 3; ++i) {
        const Columns columns = columns_of(block, i);
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m512i too_much = _mm512_set1_epi32(excess * block.scales.row_sums[r]);
            store_scaled(block, r, i, columns, _mm512_sub_epi32(_mm512_load_si512(sums[r] + 16 * i), too_much));
        }
    }
}

// With few rows, most of a tile would be idle.
ProductKernels<Int8Quad> tile_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {
        avx512_vnni_block<1>, avx512_vnni_block<2>, avx512_vnni_block<3>, avx512_vnni_block<4>,
        avx512_vnni_block<5>, avx512_vnni_block<6>, avx512_vnni_block<7>, tile_block<8>,
        tile_block<9>,        tile_block<10>,       tile_block<11>,       tile_block<12>,
        tile_block<13>,       tile_block<14>,       tile_block<15>,       tile_block<16>};
    return {kernels, tile_rows, true};
}

// Up to two rows times six registers of 8 sums.
template <int rows>
__attribute__((target("avx2"), always_inline)) inline void store_sums(const ProductBlock<Int8Quad>& block,
                                                                      const __m256i (&sums)[rows][6]) {
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
        alignas(32) std::int32_t of_row[panel_width];
#pragma GCC unroll 6
        for (std::int64_t i = 0; i < 6; ++i) {
            _mm256_store_si256(reinterpret_cast<__m256i*>(of_row) + i, sums[r][i]);
        }
        store_row(block, r, of_row);
    }
}

// The same as for AVX-512 with AVX2's registers.
template <int rows>
__attribute__((target("avx2"))) void avx_vnni_block(const ProductBlock<Int8Quad>& block) {
    __m256i sums[rows][6];
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 6
        for (std::int64_t i = 0; i < 6; ++i) {
            sums[r][i] = _mm256_set1_epi32(-excess * block.scales.row_sums[r]);
        }
    }
    for (std::int64_t k = 0; k < block.units; ++k) {
        const auto* b = reinterpret_cast<const __m256i*>(block.b + k * panel_width);
#pragma GCC unroll 2
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m256i factor = _mm256_set1_epi32(block.a[r * block.a_stride + k]);
#pragma GCC unroll 6
            for (std::int64_t i = 0; i < 6; ++i) {
                asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums[r][i]) : "x"(_mm256_load_si256(b + i)), "x"(factor));
            }
        }
    }
    store_sums(block, sums);
}

ProductKernels<Int8Quad> avx_vnni_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {avx_vnni_block<1>, avx_vnni_block<2>};
    return {kernels, 2};
}

// Two rows times six registers of 8 sums. maddubs multiplies unsigned bytes by signed ones and adds pairs of products
// in 16 bits: with the magnitude of a, and its sign at b, these are at most 2 * 127 * 127, and nothing saturates.
template <int rows>
__attribute__((target("avx2"))) void avx2_block(const ProductBlock<Int8Quad>& block) {
    const __m256i ones = _mm256_set1_epi16(1);
    const __m256i sign_bits = _mm256_set1_epi8(static_cast<char>(excess));
    __m256i sums[rows][6];
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 6
        for (std::int64_t i = 0; i < 6; ++i) {
            sums[r][i] = _mm256_setzero_si256();
        }
    }
    for (std::int64_t k = 0; k < block.units; ++k) {
        const auto* b = reinterpret_cast<const __m256i*>(block.b + k * panel_width);
#pragma GCC unroll 6
        for (std::int64_t i = 0; i < 6; ++i) {
            const __m256i of_b = _mm256_xor_si256(_mm256_load_si256(b + i), sign_bits);
#pragma GCC unroll 2
            for (std::int64_t r = 0; r < rows; ++r) {
                const __m256i a = _mm256_set1_epi32(block.a[r * block.a_stride + k]);
                const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(of_b, a));
                sums[r][i] = _mm256_add_epi32(sums[r][i], _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    store_sums(block, sums);
}

ProductKernels<Int8Quad> avx2_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {avx2_block<1>, avx2_block<2>};
    return {kernels, 2};
}

#endif

#ifdef SOFTALIGN_ARM

// Two rows times twelve registers of four sums: four terms in one instruction.
template <int rows>
__attribute__((target("arch=armv8.2-a+dotprod"))) void dot_block(const ProductBlock<Int8Quad>& block) {
    const int8x16_t sign_bits = vreinterpretq_s8_u8(vdupq_n_u8(excess));
    int32x4_t sums[rows][12];
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 12
        for (std::int64_t i = 0; i < 12; ++i) {
            sums[r][i] = vdupq_n_s32(0);
        }
    }
    for (std::int64_t k = 0; k < block.units; ++k) {
        const auto* b = reinterpret_cast<const std::int8_t*>(block.b + k * panel_width);
#pragma GCC unroll 12
        for (std::int64_t i = 0; i < 12; ++i) {
            const int8x16_t of_b = veorq_s8(vld1q_s8(b + 16 * i), sign_bits);
#pragma GCC unroll 2
            for (std::int64_t r = 0; r < rows; ++r) {
                const int8x16_t a = vreinterpretq_s8_s32(vdupq_n_s32(block.a[r * block.a_stride + k]));
                sums[r][i] = vdotq_s32(sums[r][i], of_b, a);
            }
        }
    }
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int32_t of_row[panel_width];
#pragma GCC unroll 12
        for (std::int64_t i = 0; i < 12; ++i) {
            vst1q_s32(of_row + 4 * i, sums[r][i]);
        }
        store_row(block, r, of_row);
    }
}

ProductKernels<Int8Quad> dot_kernels() {
    static constexpr ProductKernel<Int8Quad> kernels[] = {dot_block<1>, dot_block<2>};
    return {kernels, 2};
}

#endif

ProductKernels<Int8Quad> choose_kernels() {
#ifdef SOFTALIGN_ARM
    if (instructions() == Instructions::dotprod) {
        return dot_kernels();
    }
#endif
#ifdef SOFTALIGN_X86
    if (instructions() >= Instructions::avx512 && __builtin_cpu_supports("avx512vnni")) {
        return may_use_amx() ? tile_kernels() : avx512_vnni_kernels();
    }
    if (instructions() >= Instructions::avx_vnni && has_avx_vnni()) {
        return avx_vnni_kernels();
    }
    if (instructions() >= Instructions::avx2) {
        return avx2_kernels();
    }
#endif
    return portable_kernels();
}

}  // namespace

float quantize_row(const float* x, std::int64_t count, std::int8_t* q) {
    return with_best_instructions([=]() SOFTALIGN_INLINE_BODY {
        constexpr float smallest = 1e-30F;
        constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number, in the low bits
        const std::int32_t bits_of_largest = largest_bits(x, count);
        const float largest = float_of(bits_of_largest);
        if (bits_of_largest >= infinity_bits || largest < smallest) {
            std::fill_n(q, count, std::int8_t{0});  // count may be 0
            return bits_of_largest >= infinity_bits ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
        }
        const float scale = scale_for(largest);
        const float inverse = 1.0F / scale;
        for (std::int64_t i = 0; i < count; ++i) {
            const float shifted = x[i] * inverse + to_integer;
            std::int32_t bits = 0;
            std::memcpy(&bits, &shifted, sizeof bits);
            q[i] = static_cast<std::int8_t>(bits & 0xFF);
        }
        return scale;
    });
}

std::int32_t sum_of_row(const std::int8_t* q, std::int64_t count) {
    return with_best_instructions([=]() SOFTALIGN_INLINE_BODY {
        std::int32_t sum = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            sum += q[i];
        }
        return sum;
    });
}

template <>
const ProductKernels<Int8Quad>& product_kernels(Rows /*rows*/) {
    static const ProductKernels<Int8Quad> chosen = choose_kernels();
    return chosen;
}

}  // namespace softalign
