#pragma once

#include <cstdint>
#include <memory>

#include "base/precision.h"
#include "kernels/bfloat16.h"

namespace softalign {

// The right factor B [K,N] of a product C = A B, laid out for a loop that is faster than a general library's where one
// B meets many small A in a row: the weights of a recurrent unit over the steps of a sequence, or those of a model over
// the steps of a search. The columns lie in panels of 48, each row of a panel contiguous, so that the innermost loop
// reads memory in order and no call packs B again.
//
// With Precision::bfloat16 the numbers of B are rounded to bfloat16 when they are packed, and those of A when they are
// multiplied: half the memory, and twice the speed on processors that have AVX512_BF16. Sums are float32.
class PackedMatrix {
public:
    // Empty, K = N = 0.
    PackedMatrix() = default;

    // Room for a matrix, filled by pack().
    PackedMatrix(std::int64_t depth, std::int64_t columns, Precision precision = Precision::float32);

    // Copies b: element (k, n) stands at b[k * row_stride + n * column_stride].
    void pack(const float* b, std::int64_t row_stride, std::int64_t column_stride);

    std::int64_t depth() const { return depth_; }      // K
    std::int64_t columns() const { return columns_; }  // N
    Precision precision() const { return precision_; }

    // What one panel begins with; panels follow each other at distances of units() * 48, zero beyond N. Unit is float,
    // or Bfloat16Pair: two terms of a sum.
    template <typename Unit>
    const Unit* data() const {
        return static_cast<const Unit*>(data_.get());
    }
    std::int64_t units() const { return precision_ == Precision::float32 ? depth_ : (depth_ + 1) / 2; }

private:
    struct Free {
        void operator()(void* data) const;
    };

    std::int64_t depth_ = 0;
    std::int64_t columns_ = 0;
    Precision precision_ = Precision::float32;
    std::unique_ptr<void, Free> data_;  // on a cache line's border
};

// What a sum of products starts from.
enum class Start {
    zero,
    bias,    // a row [N], the same for all rows
    present  // what stands there
};

// c = start + a b. a [rows,K] and c [rows,N] have contiguous rows at distances a_stride and c_stride. A row of c is a
// function of the same row of a alone, bit for bit, whatever the number of rows: each sum goes over k in order.
void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
              std::int64_t c_stride, Start start = Start::zero, const float* bias = nullptr);

// A matrix in place, for a product that happens once: element (k, n) at data[k * row_stride + n * column_stride].
struct MatrixView {
    const float* data;
    std::int64_t depth;    // K
    std::int64_t columns;  // N
    std::int64_t row_stride;
    std::int64_t column_stride;
    Precision precision = Precision::float32;  // what it is rounded to
};

// The same product, the same bits, with b packed piece by piece on the way, so that it is read once and no copy of it
// is written to memory. Pays from about a hundred rows on.
void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const MatrixView& b, float* c,
              std::int64_t c_stride, Start start = Start::zero, const float* bias = nullptr);

// c = a^T b, or c + a^T b with Start::present (there is no bias): the gradient of a weight from those of its outputs
// and from its inputs. a [K,rows] has contiguous rows at distances a_stride; b [K,N] is packed.
void multiply_transposed(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
                         std::int64_t c_stride, Start start);

}  // namespace softalign
