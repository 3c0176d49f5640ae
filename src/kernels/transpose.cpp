#include "kernels/transpose.h"

#include <algorithm>
#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

// Rows of a matrix, as a place in it.
template <typename T>
struct Corner {
    T* data;
    std::int64_t stride;

    T* at(std::int64_t row, std::int64_t column) const { return data + row * stride + column; }
};

template <typename T>
void plain_transpose(Corner<const T> from, std::int64_t rows, std::int64_t columns, Corner<T> to) {
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            *to.at(j, i) = *from.at(i, j);
        }
    }
}

#ifdef SOFTALIGN_X86

// Up to 16 x 16 elements. Interleaving rows transposes 4 x 4 blocks within quarters of the registers; then the quarters
// change places.
__attribute__((target("avx512f"))) void avx512_square(Corner<const float> from, std::int64_t rows, std::int64_t columns,
                                                      Corner<float> to) {
    const auto columns_mask = static_cast<__mmask16>((1U << columns) - 1U);
    const auto rows_mask = static_cast<__mmask16>((1U << rows) - 1U);
    // GCC 12 warns of what the forms without a mask leave undefined.
    constexpr auto all = static_cast<__mmask16>(0xFFFF);
    constexpr auto all_pairs = static_cast<__mmask8>(0xFF);
    __m512 x[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
        x[i] = i < rows ? _mm512_maskz_loadu_ps(columns_mask, from.at(i, 0)) : _mm512_setzero_ps();
    }
    __m512 y[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        y[i] = _mm512_maskz_unpacklo_ps(all, x[i], x[i + 1]);
        y[i + 1] = _mm512_maskz_unpackhi_ps(all, x[i], x[i + 1]);
    }
    // x[4 i + c]: in quarter q column 4 q + c of rows 4 i to 4 i + 3.
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        for (int c = 0; c < 2; ++c) {
            const __m512d low = _mm512_castps_pd(y[i + c]);
            const __m512d high = _mm512_castps_pd(y[i + c + 2]);
            x[i + 2 * c] = _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(all_pairs, low, high));
            x[i + 2 * c + 1] = _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(all_pairs, low, high));
        }
    }
    constexpr int even = 0x88;
    constexpr int odd = 0xDD;
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
        const __m512 even_low = _mm512_maskz_shuffle_f32x4(all, x[c], x[4 + c], even);
        const __m512 odd_low = _mm512_maskz_shuffle_f32x4(all, x[c], x[4 + c], odd);
        const __m512 even_high = _mm512_maskz_shuffle_f32x4(all, x[8 + c], x[12 + c], even);
        const __m512 odd_high = _mm512_maskz_shuffle_f32x4(all, x[8 + c], x[12 + c], odd);
        y[c] = _mm512_maskz_shuffle_f32x4(all, even_low, even_high, even);
        y[4 + c] = _mm512_maskz_shuffle_f32x4(all, odd_low, odd_high, even);
        y[8 + c] = _mm512_maskz_shuffle_f32x4(all, even_low, even_high, odd);
        y[12 + c] = _mm512_maskz_shuffle_f32x4(all, odd_low, odd_high, odd);
    }
#pragma GCC unroll 16
    for (int j = 0; j < 16; ++j) {
        if (j < columns) {
            _mm512_mask_storeu_ps(to.at(j, 0), rows_mask, y[j]);
        }
    }
}

// Up to 8 x 8 elements, in the same way with halves.
__attribute__((target("avx2"))) void avx2_square(Corner<const float> from, std::int64_t rows, std::int64_t columns,
                                                 Corner<float> to) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i columns_mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(columns)), numbers);
    const __m256i rows_mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(rows)), numbers);
    __m256 x[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
        x[i] = i < rows ? _mm256_maskload_ps(from.at(i, 0), columns_mask) : _mm256_setzero_ps();
    }
    __m256 y[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        for (int c = 0; c < 2; ++c) {
            const __m256d low = _mm256_castps_pd(y[i + c]);
            const __m256d high = _mm256_castps_pd(y[i + c + 2]);
            x[i + 2 * c] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, high));
            x[i + 2 * c + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, high));
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
        y[c] = _mm256_permute2f128_ps(x[c], x[4 + c], 0x20);
        y[4 + c] = _mm256_permute2f128_ps(x[c], x[4 + c], 0x31);
    }
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
        if (j < columns) {
            _mm256_maskstore_ps(to.at(j, 0), rows_mask, y[j]);
        }
    }
}

using Square = void (*)(Corner<const float>, std::int64_t, std::int64_t, Corner<float>);

template <std::int64_t size, Square square>
void transpose_squares(Corner<const float> from, std::int64_t rows, std::int64_t columns, Corner<float> to) {
    for (std::int64_t i = 0; i < rows; i += size) {
        for (std::int64_t j = 0; j < columns; j += size) {
            square({from.at(i, j), from.stride}, std::min(size, rows - i), std::min(size, columns - j),
                   {to.at(j, i), to.stride});
        }
    }
}

#endif

using Transpose = void (*)(Corner<const float>, std::int64_t, std::int64_t, Corner<float>);

Transpose choose_transpose() {
#ifdef SOFTALIGN_X86
    if (instructions() >= Instructions::avx512) {
        return transpose_squares<16, avx512_square>;
    }
    if (instructions() >= Instructions::avx2) {
        return transpose_squares<8, avx2_square>;
    }
#endif
    return plain_transpose<float>;
}

}  // namespace

void transpose_small(const float* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns, float* to,
                     std::int64_t to_row) {
    static const Transpose chosen = choose_transpose();
    chosen({from, from_row}, rows, columns, {to, to_row});
}

void transpose_small(const std::uint32_t* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns,
                     std::uint32_t* to, std::int64_t to_row) {
#ifdef SOFTALIGN_X86
    if (instructions() >= Instructions::avx2) {  // whose loads and stores are of any type
        transpose_small(reinterpret_cast<const float*>(from), from_row, rows, columns, reinterpret_cast<float*>(to),
                        to_row);
        return;
    }
#endif
    plain_transpose<std::uint32_t>({from, from_row}, rows, columns, {to, to_row});
}

void transpose_small(const double* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns, double* to,
                     std::int64_t to_row) {
    plain_transpose<double>({from, from_row}, rows, columns, {to, to_row});
}

}  // namespace softalign
