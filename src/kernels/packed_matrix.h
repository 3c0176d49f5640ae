#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/precision.h"
#include "kernels/bfloat16.h"

namespace softalign {

// The right factor B [K,N] of products C = A B, packed for a loop that beats a general BLAS when one B is multiplied by
// many small A: a recurrent unit's weights over the steps of a sequence, or a model's over the steps of a search.
// Columns are stored in panels of 48, with each row of a panel contiguous, so that the innermost loop reads memory in
// order and no call packs B again.
//
// With Precision::bfloat16, the elements of B are rounded to bfloat16 when packed, those of A when multiplied: half the
// memory, and more speed on processors that have AMX, or of AMD with AVX512_BF16. Sums are float32.
//
// With Precision::int8, each column of B and each row of A is rounded to int8 with a scale (kernels/int8.h): a quarter
// of the memory. Sums are exact, K <= 100 000, and results are the same bits on every processor.
class PackedMatrix {
public:
    // Empty, K = N = 0.
    PackedMatrix() = default;

    // Allocates a matrix, which pack() fills.
    PackedMatrix(std::int64_t depth, std::int64_t columns, Precision precision = Precision::float32);

    // Copies b: element (k, n) is b[k * row_stride + n * column_stride].
    void pack(const float* b, std::int64_t row_stride, std::int64_t column_stride);

    std::int64_t depth() const { return depth_; }      // K
    std::int64_t columns() const { return columns_; }  // N
    Precision precision() const { return precision_; }

    // The first panel. Consecutive panels are units() * 48 apart, and zero beyond column N. Unit is float,
    // Bfloat16Pair: two terms of a sum, or Int8Quad: four terms, each plus 128.
    template <typename Unit>
    const Unit* data() const {
        return static_cast<const Unit*>(data_.get());
    }
    std::int64_t units() const;

    // The scales of the columns, as many as the panels have; with Precision::int8.
    const float* scales() const { return scales_.data(); }

private:
    struct Free {
        void operator()(void* data) const;
    };

    void pack_int8(const float* b, std::int64_t row_stride, std::int64_t column_stride);

    std::int64_t depth_ = 0;
    std::int64_t columns_ = 0;
    Precision precision_ = Precision::float32;
    std::unique_ptr<void, Free> data_;  // aligned to a cache line
    std::vector<float> scales_;
};

// The initial value of the sums.
enum class Start {
    zero,
    bias,    // a row [N], the same for all rows
    present  // the present contents of c
};

// c = start + a b. a [rows,K] and c [rows,N] have contiguous rows, a_stride and c_stride apart. Each row of c depends
// only on the same row of a, bit for bit, whatever the number of rows: every sum runs over k in order.
void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
              std::int64_t c_stride, Start start = Start::zero, const float* bias = nullptr);

// An unpacked matrix, for a product computed once: element (k, n) is data[k * row_stride + n * column_stride].
struct MatrixView {
    const float* data;
    std::int64_t depth;    // K
    std::int64_t columns;  // N
    std::int64_t row_stride;
    std::int64_t column_stride;
    Precision precision = Precision::float32;  // what it is rounded to
};

// The same product with the same bits. b is packed piece by piece along the way, so that it is read once and no copy of
// it is written to memory, except with Precision::int8. Pays off from about a hundred rows.
void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const MatrixView& b, float* c,
              std::int64_t c_stride, Start start = Start::zero, const float* bias = nullptr);

// c = a^T b, or c + a^T b with Start::present (Start::bias is not allowed): the gradient of a weight from its inputs
// and its outputs' gradients. a [K,rows] has contiguous rows, a_stride apart; b [K,N] is packed, not with
// Precision::int8.
void multiply_transposed(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
                         std::int64_t c_stride, Start start);

}  // namespace softalign
