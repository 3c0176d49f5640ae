#include "kernels/small_product.h"

#include <algorithm>
#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

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

#ifdef SOFTALIGN_X86

// Six rows times four registers of 16 sums, or twelve times two: 24 of the 32 registers hold sums.
constexpr std::int64_t avx512_vectors = 4;

// `rows` rows and `vectors` registers of columns; `last` are the lanes of the last register that are columns.
template <int rows, int vectors>
__attribute__((target("avx512f"))) void avx512_block(const SmallProduct<float>& given, __mmask16 last) {
    const SmallProduct<float> product = given;  // a copy, which no store can change
    __m512 sums[rows][vectors];
#pragma GCC unroll 12
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
#pragma GCC unroll 12
        for (int r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * product.a_row]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                sums[r][v] = _mm512_fmadd_ps(factor, of_b[v], sums[r][v]);
            }
        }
    }
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            const __mmask16 mask = v + 1 < vectors ? static_cast<__mmask16>(0xFFFF) : last;
            _mm512_mask_storeu_ps(product.c + r * product.c_row + 16 * v, mask, sums[r][v]);
        }
    }
}

using Avx512Block = void (*)(const SmallProduct<float>&, __mmask16);

// The blocks of a number of vectors; of_rows[r] is for r + 1 rows.
struct Avx512Blocks {
    const Avx512Block* of_rows;
    std::int64_t most_rows;
};

template <int vectors>
constexpr Avx512Block low_blocks[] = {avx512_block<1, vectors>, avx512_block<2, vectors>, avx512_block<3, vectors>,
                                      avx512_block<4, vectors>, avx512_block<5, vectors>, avx512_block<6, vectors>};
template <int vectors>
constexpr Avx512Block high_blocks[] = {avx512_block<1, vectors>,  avx512_block<2, vectors>,  avx512_block<3, vectors>,
                                       avx512_block<4, vectors>,  avx512_block<5, vectors>,  avx512_block<6, vectors>,
                                       avx512_block<7, vectors>,  avx512_block<8, vectors>,  avx512_block<9, vectors>,
                                       avx512_block<10, vectors>, avx512_block<11, vectors>, avx512_block<12, vectors>};

constexpr Avx512Blocks avx512_blocks[avx512_vectors] = {
    {high_blocks<1>, 12}, {high_blocks<2>, 12}, {low_blocks<3>, 6}, {low_blocks<4>, 6}};

// Some rows of a product, as even as they can be in groups of at most `most`, and its columns from `column` on.
template <typename Function>
void for_rows(const SmallProduct<float>& product, std::int64_t column, std::int64_t columns, std::int64_t most,
              Function block) {
    SmallProduct<float> part = product;
    part.b = product.b + column;
    part.columns = columns;
    std::int64_t row = 0;
    for (std::int64_t groups = (product.rows + most - 1) / most; groups > 0; --groups, row += part.rows) {
        part.rows = (product.rows - row + groups - 1) / groups;
        part.a = product.a + row * product.a_row;
        part.c = product.c + row * product.c_row + column;
        block(part);
    }
}

void avx512_product(const SmallProduct<float>& product) {
    for (std::int64_t column = 0; column < product.columns; column += 16 * avx512_vectors) {
        const std::int64_t columns = std::min(16 * avx512_vectors, product.columns - column);
        const std::int64_t vectors = (columns + 15) / 16;
        const auto last = static_cast<__mmask16>((1U << (columns - 16 * (vectors - 1))) - 1U);
        const Avx512Blocks& blocks = avx512_blocks[vectors - 1];
        for_rows(product, column, columns, blocks.most_rows,
                 [&](const SmallProduct<float>& part) { blocks.of_rows[part.rows - 1](part, last); });
    }
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
#pragma GCC unroll 12
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
#pragma GCC unroll 12
        for (int r = 0; r < rows; ++r) {
            const __m256 factor = _mm256_set1_ps(a[r * product.a_row]);
#pragma GCC unroll 2
            for (int v = 0; v < vectors; ++v) {
                sums[r][v] = _mm256_fmadd_ps(factor, of_b[v], sums[r][v]);
            }
        }
    }
#pragma GCC unroll 12
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
    for (std::int64_t column = 0; column < product.columns; column += 8 * avx2_vectors) {
        const std::int64_t columns = std::min(8 * avx2_vectors, product.columns - column);
        const std::int64_t vectors = (columns + 7) / 8;
        for_rows(product, column, columns, avx2_rows, [&](const SmallProduct<float>& part) {
            avx2_blocks[part.rows - 1][vectors - 1](part, columns - 8 * (vectors - 1));
        });
    }
}

#endif

using FloatProduct = void (*)(const SmallProduct<float>&);

FloatProduct choose_product() {
#ifdef SOFTALIGN_X86
    if (instructions() >= Instructions::avx512) {
        return avx512_product;
    }
    if (instructions() >= Instructions::avx2) {
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

}  // namespace softalign
