#include "kernels/packed_matrix.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SOFTALIGN_X86
#endif

namespace softalign {

namespace {

constexpr std::int64_t panel = PackedMatrix::panel;
constexpr std::size_t cache_line = 64;
// Rows of a panel that are worked through before the next rows of A: 96 KiB, which stay in the second-level cache.
constexpr std::int64_t depth_block = 512;

// One block of the product: `rows` rows of c, `columns` <= 48 columns, `depth` terms.
struct Block {
    const float* a;
    std::int64_t a_stride;
    const float* b;  // [depth,48]
    std::int64_t depth;
    float* c;
    std::int64_t c_stride;
    std::int64_t columns;
    const float* start;  // what the sums of row r start from: start + r * start_stride; null = zero
    std::int64_t start_stride;
};

using Kernel = void (*)(const Block&);

// The kernels of one instruction set: kernels[r] is for r + 1 rows.
struct Kernels {
    const Kernel* of_rows;
    std::int64_t most_rows;
};

// Any processor. The compiler turns the inner loop into what there is.
template <int rows>
void portable_block(const Block& block) {
    float sums[rows][panel] = {};
    if (block.start != nullptr) {
        for (std::int64_t r = 0; r < rows; ++r) {
            std::copy_n(block.start + r * block.start_stride, block.columns, sums[r]);
        }
    }
    for (std::int64_t k = 0; k < block.depth; ++k) {
        const float* b = block.b + k * panel;
        for (std::int64_t r = 0; r < rows; ++r) {
            const float factor = block.a[r * block.a_stride + k];
            for (std::int64_t j = 0; j < panel; ++j) {
                sums[r][j] += factor * b[j];
            }
        }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        std::copy_n(sums[r], block.columns, block.c + r * block.c_stride);
    }
}

#ifdef SOFTALIGN_X86

// Eight rows times three registers of 16 sums: 24 of the 32 registers hold sums, and each loaded row of the panel
// serves eight rows of a.
template <int rows>
__attribute__((target("avx512f"))) void avx512_block(const Block& block) {
    const auto lanes = [&](std::int64_t from) {
        return static_cast<__mmask16>((1U << std::clamp<std::int64_t>(block.columns - from, 0, 16)) - 1U);
    };
    const __mmask16 masks[3] = {lanes(0), lanes(16), lanes(32)};
    __m512 sums[rows][3];
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 3; ++i) {
            sums[r][i] = block.start != nullptr
                             ? _mm512_maskz_loadu_ps(masks[i], block.start + r * block.start_stride + 16 * i)
                             : _mm512_setzero_ps();
        }
    }
    const float* a = block.a;
    const std::int64_t a_stride = block.a_stride;
    const float* b = block.b;
    for (std::int64_t k = 0; k < block.depth; ++k) {
        const __m512 b0 = _mm512_load_ps(b);
        const __m512 b1 = _mm512_load_ps(b + 16);
        const __m512 b2 = _mm512_load_ps(b + 32);
        for (std::int64_t i = 0; i < 3; ++i) {
            _mm_prefetch(reinterpret_cast<const char*>(b + 16 * panel + 16 * i), _MM_HINT_T0);
        }
        b += panel;
#pragma GCC unroll 8
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * a_stride + k]);
            sums[r][0] = _mm512_fmadd_ps(factor, b0, sums[r][0]);
            sums[r][1] = _mm512_fmadd_ps(factor, b1, sums[r][1]);
            sums[r][2] = _mm512_fmadd_ps(factor, b2, sums[r][2]);
        }
    }
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 3; ++i) {
            _mm512_mask_storeu_ps(block.c + r * block.c_stride + 16 * i, masks[i], sums[r][i]);
        }
    }
}

// Two rows times six registers of 8 sums: 12 of the 16 registers. Sums start and end in a copy, for AVX2 has no cheap
// partial loads and stores.
template <int rows>
__attribute__((target("avx2,fma"))) void avx2_block(const Block& block) {
    alignas(32) float copies[rows][panel] = {};
    if (block.start != nullptr) {
        for (std::int64_t r = 0; r < rows; ++r) {
            std::copy_n(block.start + r * block.start_stride, block.columns, copies[r]);
        }
    }
    __m256 sums[rows][6];
#pragma GCC unroll 2
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < 6; ++i) {
            sums[r][i] = _mm256_load_ps(copies[r] + 8 * i);
        }
    }
    for (std::int64_t k = 0; k < block.depth; ++k) {
        const float* b = block.b + k * panel;
#pragma GCC unroll 2
        for (std::int64_t r = 0; r < rows; ++r) {
            const __m256 factor = _mm256_set1_ps(block.a[r * block.a_stride + k]);
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
        std::copy_n(copies[r], block.columns, block.c + r * block.c_stride);
    }
}

#endif

Kernels choose_kernels() {
#ifdef SOFTALIGN_X86
    static constexpr Kernel avx512[] = {avx512_block<1>, avx512_block<2>, avx512_block<3>, avx512_block<4>,
                                        avx512_block<5>, avx512_block<6>, avx512_block<7>, avx512_block<8>};
    static constexpr Kernel avx2[] = {avx2_block<1>, avx2_block<2>};
    if (__builtin_cpu_supports("avx512f")) {
        return {avx512, 8};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return {avx2, 2};
    }
#endif
    static constexpr Kernel portable[] = {portable_block<1>, portable_block<2>};
    return {portable, 2};
}

const Kernels& kernels() {
    static const Kernels chosen = choose_kernels();
    return chosen;
}

// Copies `width` columns of b into a panel. By blocks of 16 rows, for where a column is contiguous they are a cache
// line.
void fill_panel(const float* b, std::int64_t width, std::int64_t depth, std::int64_t row_stride,
                std::int64_t column_stride, float* to) {
    constexpr std::int64_t block = 16;
    std::fill_n(to, width < panel ? depth * panel : 0, 0.0F);
    for (std::int64_t begin = 0; begin < depth; begin += block) {
        const std::int64_t end = std::min(begin + block, depth);
        if (row_stride == 1) {
            for (std::int64_t j = 0; j < width; ++j) {
                for (std::int64_t k = begin; k < end; ++k) {
                    to[k * panel + j] = b[k + j * column_stride];
                }
            }
        } else {
            for (std::int64_t k = begin; k < end; ++k) {
                for (std::int64_t j = 0; j < width; ++j) {
                    to[k * panel + j] = b[k * row_stride + j * column_stride];
                }
            }
        }
    }
}

// What a product writes to, and what its sums start from.
struct Target {
    float* c;
    std::int64_t c_stride;
    Start start;
    const float* bias;
};

// One panel's share of c for `rows` rows of a, over the `depth` terms from `k` on; of_panel [depth,48] has those terms.
void multiply_panel(const float* a, std::int64_t rows, std::int64_t a_stride, const float* of_panel, std::int64_t k,
                    std::int64_t depth, std::int64_t n, std::int64_t columns, const Target& target) {
    const Kernels& chosen = kernels();
    const std::int64_t width = std::min(panel, columns - n);
    for (std::int64_t row = 0; row < rows;) {
        const std::int64_t count = std::min(chosen.most_rows, rows - row);
        float* c = target.c + row * target.c_stride + n;
        const bool goes_on = k > 0 || target.start == Start::present;
        const float* from_bias = target.start == Start::bias ? target.bias + n : nullptr;
        chosen.of_rows[count - 1]({a + row * a_stride + k, a_stride, of_panel, depth, c, target.c_stride, width,
                                   goes_on ? c : from_bias, goes_on ? target.c_stride : 0});
        row += count;
    }
}

}  // namespace

void PackedMatrix::Free::operator()(float* data) const {
    std::free(data);
}

PackedMatrix::PackedMatrix(std::int64_t depth, std::int64_t columns) : depth_(depth), columns_(columns) {
    const std::int64_t panels = (columns + panel - 1) / panel;
    const auto bytes = static_cast<std::size_t>(panels * depth * panel) * sizeof(float);
    // 48 floats are three cache lines; nothing at all is one.
    data_.reset(static_cast<float*>(std::aligned_alloc(cache_line, std::max(bytes, cache_line))));
    if (!data_) {
        throw std::bad_alloc();
    }
}

void PackedMatrix::pack(const float* b, std::int64_t row_stride, std::int64_t column_stride) {
    for (std::int64_t n = 0; n < columns_; n += panel) {
        fill_panel(b + n * column_stride, std::min(panel, columns_ - n), depth_, row_stride, column_stride,
                   data_.get() + n * depth_);
    }
}

void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
              std::int64_t c_stride, Start start, const float* bias) {
    const Target target{c, c_stride, start, bias};
    // A sum of nothing is its start, so at least one block is done.
    for (std::int64_t k = 0; k == 0 || k < b.depth(); k += depth_block) {
        const std::int64_t depth = std::min(depth_block, b.depth() - k);
        for (std::int64_t n = 0; n < b.columns(); n += panel) {
            multiply_panel(a, rows, a_stride, b.data() + n * b.depth() + k * panel, k, depth, n, b.columns(), target);
        }
    }
}

void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const MatrixView& b, float* c,
              std::int64_t c_stride, Start start, const float* bias) {
    const Target target{c, c_stride, start, bias};
    alignas(cache_line) thread_local float piece[depth_block * panel];
    for (std::int64_t k = 0; k == 0 || k < b.depth; k += depth_block) {
        const std::int64_t depth = std::min(depth_block, b.depth - k);
        for (std::int64_t n = 0; n < b.columns; n += panel) {
            fill_panel(b.data + k * b.row_stride + n * b.column_stride, std::min(panel, b.columns - n), depth,
                       b.row_stride, b.column_stride, piece);
            multiply_panel(a, rows, a_stride, piece, k, depth, n, b.columns, target);
        }
    }
}

}  // namespace softalign
