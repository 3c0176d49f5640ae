#include "kernels/product_blocks.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/instruction_sets.h"
#include "kernels/tiles.h"

namespace softalign {

namespace {

// Where row `row` of a has its unit k.
template <Rows layout, typename Unit>
SOFTALIGN_INLINE const Unit* unit_of(const ProductBlock<Unit>& block, std::int64_t row, std::int64_t k) {
    return layout == Rows::side_by_side ? block.a + k * rows_side_by_side + row : block.a + row * block.a_stride + k;
}

SOFTALIGN_INLINE void add_row(float factor, const float* b, float* sums) {
    for (std::int64_t j = 0; j < panel_width; ++j) {
        sums[j] += factor * b[j];
    }
}

SOFTALIGN_INLINE void add_row(Bfloat16Pair factors, const Bfloat16Pair* b, float* sums) {
    const float first = first_of(factors);
    const float second = second_of(factors);
    for (std::int64_t j = 0; j < panel_width; ++j) {
        sums[j] = sums[j] + second * second_of(b[j]) + first * first_of(b[j]);
    }
}

// What the sums of a block start from, to a copy of them, and the copy to what they are for.
template <int rows, typename Unit>
SOFTALIGN_INLINE void copy_start(const ProductBlock<Unit>& block, float (*sums)[panel_width]) {
    for (std::int64_t r = 0; block.start != nullptr && r < rows; ++r) {
        std::copy_n(block.start + r * block.start_stride, block.columns, sums[r]);
    }
}

template <int rows, typename Unit>
SOFTALIGN_INLINE void copy_end(const ProductBlock<Unit>& block, const float (*sums)[panel_width]) {
    for (std::int64_t r = 0; r < rows; ++r) {
        std::copy_n(sums[r], block.columns, block.c + r * block.c_stride);
    }
}

// The loop in plain C++, which the compiler turns into what the instruction set of the caller has.
template <int rows, Rows layout, typename Unit>
SOFTALIGN_INLINE void plain_block(const ProductBlock<Unit>& block) {
    float sums[rows][panel_width] = {};
    copy_start<rows>(block, sums);
    for (std::int64_t k = 0; k < block.units; ++k) {
        for (std::int64_t r = 0; r < rows; ++r) {
            add_row(*unit_of<layout>(block, r, k), block.b + k * panel_width, sums[r]);
        }
    }
    copy_end<rows>(block, sums);
}

template <int rows, Rows layout, typename Unit>
void portable_block(const ProductBlock<Unit>& block) {
    plain_block<rows, layout>(block);
}

template <typename Unit, Rows layout>
ProductKernels<Unit> portable_kernels() {
    static constexpr ProductKernel<Unit> kernels[] = {portable_block<1, layout, Unit>, portable_block<2, layout, Unit>};
    return {kernels, 2};
}

#ifdef SOFTALIGN_X86

// Eight rows times three registers of 16 sums: 24 of the 32 registers hold sums, and each loaded row of the panel
// serves eight rows of a.
template <int rows>
struct Sums {
    __m512 of_rows[rows][3];
};

struct Masks {
    __mmask16 parts[3];
};

__attribute__((target("avx512f"), always_inline)) inline Masks masks_of(std::int64_t columns) {
    const auto lanes = [columns](std::int64_t from) {
        return static_cast<__mmask16>((1U << std::clamp<std::int64_t>(columns - from, 0, 16)) - 1U);
    };
    return {{lanes(0), lanes(16), lanes(32)}};
}

template <int rows, typename Unit>
__attribute__((target("avx512f"), always_inline)) inline void load_sums(const ProductBlock<Unit>& block,
                                                                        const Masks& masks, Sums<rows>& sums) {
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 3; ++i) {
            sums.of_rows[r][i] =
                block.start != nullptr
                    ? _mm512_maskz_loadu_ps(masks.parts[i], block.start + r * block.start_stride + 16 * i)
                    : _mm512_setzero_ps();
        }
    }
}

template <int rows, typename Unit>
__attribute__((target("avx512f"), always_inline)) inline void store_sums(const ProductBlock<Unit>& block,
                                                                         const Masks& masks, const Sums<rows>& sums) {
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 3; ++i) {
            _mm512_mask_storeu_ps(block.c + r * block.c_stride + 16 * i, masks.parts[i], sums.of_rows[r][i]);
        }
    }
}

template <typename Unit>
SOFTALIGN_INLINE void fetch_ahead(const Unit* b) {
    for (std::int64_t i = 0; i < 3; ++i) {
        _mm_prefetch(reinterpret_cast<const char*>(b + 16 * panel_width + 16 * i), _MM_HINT_T0);
    }
}

template <int rows, Rows layout>
__attribute__((target("avx512f"))) void avx512_block(const ProductBlock<float>& given) {
    const ProductBlock<float> block = given;  // a copy, which no store can change
    const Masks masks = masks_of(block.columns);
    Sums<rows> sums;
    load_sums(block, masks, sums);
    const float* b = block.b;
    for (std::int64_t k = 0; k < block.units; ++k, b += panel_width) {
        const __m512 b0 = _mm512_load_ps(b);
        const __m512 b1 = _mm512_load_ps(b + 16);
        const __m512 b2 = _mm512_load_ps(b + 32);
        fetch_ahead(b);
#pragma GCC unroll 8
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(*unit_of<layout>(block, r, k));
            sums.of_rows[r][0] = _mm512_fmadd_ps(factor, b0, sums.of_rows[r][0]);
            sums.of_rows[r][1] = _mm512_fmadd_ps(factor, b1, sums.of_rows[r][1]);
            sums.of_rows[r][2] = _mm512_fmadd_ps(factor, b2, sums.of_rows[r][2]);
        }
    }
    store_sums(block, masks, sums);
}

// The same with pairs: twice the terms in as many instructions.
template <int rows, Rows layout>
__attribute__((target("avx512f,avx512bf16"))) void avx512_block_of_pairs(const ProductBlock<Bfloat16Pair>& given) {
    const ProductBlock<Bfloat16Pair> block = given;
    const Masks masks = masks_of(block.columns);
    Sums<rows> sums;
    load_sums(block, masks, sums);
    const Bfloat16Pair* b = block.b;
    for (std::int64_t k = 0; k < block.units; ++k, b += panel_width) {
        const auto b0 = (__m512bh)_mm512_load_si512(b);  // NOLINT(google-readability-casting): the same bits
        const auto b1 = (__m512bh)_mm512_load_si512(b + 16);
        const auto b2 = (__m512bh)_mm512_load_si512(b + 32);
        fetch_ahead(b);
#pragma GCC unroll 8
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto factor = (__m512bh)_mm512_set1_epi32(static_cast<int>(*unit_of<layout>(block, r, k)));
            sums.of_rows[r][0] = _mm512_dpbf16_ps(sums.of_rows[r][0], factor, b0);
            sums.of_rows[r][1] = _mm512_dpbf16_ps(sums.of_rows[r][1], factor, b1);
            sums.of_rows[r][2] = _mm512_dpbf16_ps(sums.of_rows[r][2], factor, b2);
        }
    }
    store_sums(block, masks, sums);
}

template <Rows layout>
ProductKernels<float> avx512_kernels(float) {
    static constexpr ProductKernel<float> kernels[] = {
        avx512_block<1, layout>, avx512_block<2, layout>, avx512_block<3, layout>, avx512_block<4, layout>,
        avx512_block<5, layout>, avx512_block<6, layout>, avx512_block<7, layout>, avx512_block<8, layout>};
    return {kernels, 8};
}

template <Rows layout>
ProductKernels<Bfloat16Pair> avx512_kernels(Bfloat16Pair) {
    static constexpr ProductKernel<Bfloat16Pair> kernels[] = {
        avx512_block_of_pairs<1, layout>, avx512_block_of_pairs<2, layout>, avx512_block_of_pairs<3, layout>,
        avx512_block_of_pairs<4, layout>, avx512_block_of_pairs<5, layout>, avx512_block_of_pairs<6, layout>,
        avx512_block_of_pairs<7, layout>, avx512_block_of_pairs<8, layout>};
    return {kernels, 8};
}

// Three tiles of sums. Where there are fewer than 16 rows or 48 columns, they start and end in a copy.
template <int rows>
__attribute__((target("amx-tile,amx-bf16,amx-int8"))) void tile_block(const ProductBlock<Bfloat16Pair>& block) {
    alignas(64) float copies[tile_rows][panel_width];
    const bool is_whole = rows == tile_rows && block.columns == panel_width;
    if (block.start == nullptr) {
        clear_tiles();
    } else if (is_whole) {
        load_tiles(block.start, block.start_stride);
    } else {
        copy_start<rows>(block, copies);
        load_tiles(copies, panel_width);
    }
    add_to_tiles(block.a, block.a_stride, block.b, block.units);
    if (is_whole) {
        store_tiles(block.c, block.c_stride);
        return;
    }
    store_tiles(copies, panel_width);
    copy_end<rows>(block, copies);
}

ProductKernels<Bfloat16Pair> tile_kernels() {
    static constexpr ProductKernel<Bfloat16Pair> kernels[] = {
        tile_block<1>,  tile_block<2>,  tile_block<3>,  tile_block<4>,  tile_block<5>,  tile_block<6>,
        tile_block<7>,  tile_block<8>,  tile_block<9>,  tile_block<10>, tile_block<11>, tile_block<12>,
        tile_block<13>, tile_block<14>, tile_block<15>, tile_block<16>};
    return {kernels, tile_rows, true};
}

// Two rows times six registers of 8 sums: 12 of the 16 registers. Sums start and end in a copy, for AVX2 has no cheap
// partial loads and stores.
template <int rows, Rows layout>
__attribute__((target("avx2,fma"))) void avx2_block(const ProductBlock<float>& block) {
    alignas(32) float copies[rows][panel_width] = {};
    copy_start<rows>(block, copies);
    __m256 sums[rows][6];
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 6; ++i) {
            sums[r][i] = _mm256_load_ps(copies[r] + 8 * i);
        }
    }
    for (std::int64_t k = 0; k < block.units; ++k) {
        const float* b = block.b + k * panel_width;
#pragma GCC unroll 2
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m256 factor = _mm256_set1_ps(*unit_of<layout>(block, r, k));
            for (std::int64_t i = 0; i < 6; ++i) {
                sums[r][i] = _mm256_fmadd_ps(factor, _mm256_load_ps(b + 8 * i), sums[r][i]);
            }
        }
    }
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 6; ++i) {
            _mm256_store_ps(copies[r] + 8 * i, sums[r][i]);
        }
    }
    copy_end<rows>(block, copies);
}

template <int rows, Rows layout>
__attribute__((target("avx2,fma"))) void avx2_block_of_pairs(const ProductBlock<Bfloat16Pair>& block) {
    plain_block<rows, layout>(block);
}

template <Rows layout>
ProductKernels<float> avx2_kernels(float) {
    static constexpr ProductKernel<float> kernels[] = {avx2_block<1, layout>, avx2_block<2, layout>};
    return {kernels, 2};
}

template <Rows layout>
ProductKernels<Bfloat16Pair> avx2_kernels(Bfloat16Pair) {
    static constexpr ProductKernel<Bfloat16Pair> kernels[] = {avx2_block_of_pairs<1, layout>,
                                                              avx2_block_of_pairs<2, layout>};
    return {kernels, 2};
}

// Whether the processor's AVX-512 has what products of these units need.
bool multiplies(float) {
    return true;
}

bool multiplies(Bfloat16Pair) {
    return may_use_avx512_bf16();
}

#endif

template <typename Unit, Rows layout>
ProductKernels<Unit> choose_kernels() {
#ifdef SOFTALIGN_X86
    if constexpr (std::is_same_v<Unit, Bfloat16Pair> && layout == Rows::one_after_another) {
        if (may_use_amx()) {
            return tile_kernels();
        }
    }
    if (instructions() >= Instructions::avx512 && multiplies(Unit())) {
        return avx512_kernels<layout>(Unit());
    }
    if (instructions() >= Instructions::avx2) {
        return avx2_kernels<layout>(Unit());
    }
#endif
    return portable_kernels<Unit, layout>();
}

}  // namespace

template <typename Unit>
const ProductKernels<Unit>& product_kernels(Rows rows) {
    static const ProductKernels<Unit> after = choose_kernels<Unit, Rows::one_after_another>();
    static const ProductKernels<Unit> beside = choose_kernels<Unit, Rows::side_by_side>();
    return rows == Rows::side_by_side ? beside : after;
}

template const ProductKernels<float>& product_kernels(Rows rows);
template const ProductKernels<Bfloat16Pair>& product_kernels(Rows rows);

}  // namespace softalign
