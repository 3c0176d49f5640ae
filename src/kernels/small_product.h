#pragma once

#include <cstdint>

namespace softalign {

// c = a b, or c + a b, for small matrices that are multiplied once, so that packing would not pay
// (kernels/packed_matrix.h is for those that are multiplied often). Rows of b and c are contiguous.
template <typename T>
struct SmallProduct {
    const T* a;  // [rows,terms]: element (i, k) is a[i * a_row + k * a_term]
    std::int64_t a_row;
    std::int64_t a_term;
    const T* b;  // [terms,columns], rows b_row apart
    std::int64_t b_row;
    T* c;  // [rows,columns], rows c_row apart
    std::int64_t c_row;
    std::int64_t rows;
    std::int64_t terms;
    std::int64_t columns;
    bool adds;  // whether the sums start from the present contents of c
};

// Every sum runs over k in order, whatever the number of rows and columns.
void multiply_small(const SmallProduct<float>& product);
void multiply_small(const SmallProduct<double>& product);

}  // namespace softalign
