#include "kernels/small_product.h"

#include <algorithm>
#include <cstdint>

#include "kernels/vector_math.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SOFTALIGN_X86
#endif

namespace softalign {

namespace {

// Columns whose sums the plain loop keeps at a time.
constexpr std::int64_t lanes = 16;

template <typename T>
SOFTALIGN_INLINE void plain_lanes(const SmallProduct<T>& product, std::int64_t row, std::int64_t column,
                                  std::int64_t width) {
    T sums[lanes] = {};
    T* c = product.c + row * product.c_row + column;
    if (product.adds) {
        std::copy_n(c, width, sums);
    }
    const T* a = product.a + row * product.a_row;
    const T* b = product.b + column;
    if (width == lanes) {
        for (std::int64_t k = 0; k < product.terms; ++k) {
            const T factor = a[k * product.a_term];
            for (std::int64_t j = 0; j < lanes; ++j) {
                sums[j] += factor * b[k * product.b_row + j];
            }
        }
    } else {
        for (std::int64_t k = 0; k < product.terms; ++k) {
            const T factor = a[k * product.a_term];
            for (std::int64_t j = 0; j < width; ++j) {
                sums[j] += factor * b[k * product.b_row + j];
            }
        }
    }
    std::copy_n(sums, width, c);
}

// The loop in plain C++.
template <typename T>
void plain_product(const SmallProduct<T>& product) {
    for (std::int64_t column = 0; column < product.columns; column += lanes) {
        for (std::int64_t row = 0; row < product.rows; ++row) {
            plain_lanes(product, row, column, std::min(lanes, product.columns - column));
        }
    }
}

template <typename T>
SOFTALIGN_INLINE void plain_transpose(const T* __restrict from, std::int64_t from_row, std::int64_t rows,
                                      std::int64_t columns, T* __restrict to, std::int64_t to_row) {
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            to[j * to_row + i] = from[i * from_row + j];
        }
    }
}

#ifdef SOFTALIGN_X86

// Six rows times four registers of 16 sums: 24 of the 32 registers hold sums.
constexpr std::int64_t avx512_rows = 6;
constexpr std::int64_t avx512_vectors = 4;

// `rows` rows and `vectors` registers of columns; `last` are the lanes of the last register that are columns.
template <int rows, int vectors>
__attribute__((target("avx512f"))) void avx512_block(const SmallProduct<float>& given, __mmask16 last) {
    const SmallProduct<float> product = given;  // a copy, which no store can change
    __m512 sums[rows][vectors];
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            const __mmask16 mask = v + 1 < vectors ? static_cast<__mmask16>(0xFFFF) : last;
            sums[r][v] = product.adds ? _mm512_maskz_loadu_ps(mask, product.c + r * product.c_row + 16 * v)
                                      : _mm512_setzero_ps();
        }
    }
    const float* a = product.a;
    const float* b = product.b;
    for (std::int64_t k = 0; k < product.terms; ++k, a += product.a_term, b += product.b_row) {
        __m512 of_b[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            of_b[v] = v + 1 < vectors ? _mm512_loadu_ps(b + 16 * v) : _mm512_maskz_loadu_ps(last, b + 16 * v);
        }
#pragma GCC unroll 6
        for (int r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * product.a_row]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                sums[r][v] = _mm512_fmadd_ps(factor, of_b[v], sums[r][v]);
            }
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            const __mmask16 mask = v + 1 < vectors ? static_cast<__mmask16>(0xFFFF) : last;
            _mm512_mask_storeu_ps(product.c + r * product.c_row + 16 * v, mask, sums[r][v]);
        }
    }
}

using Avx512Block = void (*)(const SmallProduct<float>&, __mmask16);

constexpr Avx512Block avx512_blocks[avx512_rows][avx512_vectors] = {
    {avx512_block<1, 1>, avx512_block<1, 2>, avx512_block<1, 3>, avx512_block<1, 4>},
    {avx512_block<2, 1>, avx512_block<2, 2>, avx512_block<2, 3>, avx512_block<2, 4>},
    {avx512_block<3, 1>, avx512_block<3, 2>, avx512_block<3, 3>, avx512_block<3, 4>},
    {avx512_block<4, 1>, avx512_block<4, 2>, avx512_block<4, 3>, avx512_block<4, 4>},
    {avx512_block<5, 1>, avx512_block<5, 2>, avx512_block<5, 3>, avx512_block<5, 4>},
    {avx512_block<6, 1>, avx512_block<6, 2>, avx512_block<6, 3>, avx512_block<6, 4>}};

// Calls block(part, vectors, columns of the last vector) for blocks of at most most_rows rows and most_vectors vectors
// of `width` columns, as even in rows as they can be.
template <std::int64_t most_rows, std::int64_t most_vectors, std::int64_t width, typename Function>
void for_blocks(const SmallProduct<float>& product, Function block) {
    const std::int64_t groups = (product.rows + most_rows - 1) / most_rows;
    SmallProduct<float> part = product;
    for (std::int64_t column = 0; column < product.columns; column += most_vectors * width) {
        part.columns = std::min(most_vectors * width, product.columns - column);
        const std::int64_t vectors = (part.columns + width - 1) / width;
        part.b = product.b + column;
        std::int64_t row = 0;
        for (std::int64_t group = 0; group < groups; ++group, row += part.rows) {
            part.rows = (product.rows - row + groups - group - 1) / (groups - group);
            part.a = product.a + row * product.a_row;
            part.c = product.c + row * product.c_row + column;
            block(part, vectors, part.columns - (vectors - 1) * width);
        }
    }
}

void avx512_product(const SmallProduct<float>& product) {
    for_blocks<avx512_rows, avx512_vectors, 16>(
        product, [](const SmallProduct<float>& part, std::int64_t vectors, std::int64_t last) {
            avx512_blocks[part.rows - 1][vectors - 1](part, static_cast<__mmask16>((1U << last) - 1U));
        });
}

// Six rows times two registers of 8 sums: 12 of the 16 registers hold sums.
constexpr std::int64_t avx2_rows = 6;
constexpr std::int64_t avx2_vectors = 2;

template <int rows, int vectors>
__attribute__((target("avx2,fma"))) void avx2_block(const SmallProduct<float>& given, std::int64_t last) {
    const SmallProduct<float> product = given;
    const __m256i mask =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(last)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256 sums[rows][vectors];
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
        const float* c = product.c + r * product.c_row;
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) {
            sums[r][v] = !product.adds     ? _mm256_setzero_ps()
                         : v + 1 < vectors ? _mm256_loadu_ps(c + 8 * v)
                                           : _mm256_maskload_ps(c + 8 * v, mask);
        }
    }
    const float* a = product.a;
    const float* b = product.b;
    for (std::int64_t k = 0; k < product.terms; ++k, a += product.a_term, b += product.b_row) {
        __m256 of_b[vectors];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) {
            of_b[v] = v + 1 < vectors ? _mm256_loadu_ps(b + 8 * v) : _mm256_maskload_ps(b + 8 * v, mask);
        }
#pragma GCC unroll 6
        for (int r = 0; r < rows; ++r) {
            const __m256 factor = _mm256_set1_ps(a[r * product.a_row]);
#pragma GCC unroll 2
            for (int v = 0; v < vectors; ++v) {
                sums[r][v] = _mm256_fmadd_ps(factor, of_b[v], sums[r][v]);
            }
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
        float* c = product.c + r * product.c_row;
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) {
            if (v + 1 < vectors) {
                _mm256_storeu_ps(c + 8 * v, sums[r][v]);
            } else {
                _mm256_maskstore_ps(c + 8 * v, mask, sums[r][v]);
            }
        }
    }
}

using Avx2Block = void (*)(const SmallProduct<float>&, std::int64_t);

constexpr Avx2Block avx2_blocks[avx2_rows][avx2_vectors] = {
    {avx2_block<1, 1>, avx2_block<1, 2>}, {avx2_block<2, 1>, avx2_block<2, 2>}, {avx2_block<3, 1>, avx2_block<3, 2>},
    {avx2_block<4, 1>, avx2_block<4, 2>}, {avx2_block<5, 1>, avx2_block<5, 2>}, {avx2_block<6, 1>, avx2_block<6, 2>}};

void avx2_product(const SmallProduct<float>& product) {
    for_blocks<avx2_rows, avx2_vectors, 8>(
        product, [](const SmallProduct<float>& part, std::int64_t vectors, std::int64_t last) {
            avx2_blocks[part.rows - 1][vectors - 1](part, last);
        });
}

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

#endif

using FloatProduct = void (*)(const SmallProduct<float>&);

FloatProduct choose_product() {
#ifdef SOFTALIGN_X86
    if (may_use_avx512 && __builtin_cpu_supports("avx512f")) {
        return avx512_product;
    }
    if (may_use_avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return avx2_product;
    }
#endif
    return plain_product<float>;
}

}  // namespace

void multiply_small(const SmallProduct<float>& product) {
    static const FloatProduct chosen = choose_product();
    chosen(product);
}

void multiply_small(const SmallProduct<double>& product) {
    plain_product(product);
}

SOFTALIGN_MULTIVERSION void transpose_small(const float* from, std::int64_t from_row, std::int64_t rows,
                                            std::int64_t columns, float* to, std::int64_t to_row) {
    plain_transpose(from, from_row, rows, columns, to, to_row);
}

void transpose_small(const double* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns, double* to,
                     std::int64_t to_row) {
    plain_transpose(from, from_row, rows, columns, to, to_row);
}

}  // namespace softalign
