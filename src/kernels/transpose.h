#pragma once

#include <cstdint>

namespace softalign {

// to [columns,rows] = from [rows,columns] transposed, for matrices of a few vectors on a side; rows are from_row and
// to_row apart.
void transpose_small(const float* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns, float* to,
                     std::int64_t to_row);
void transpose_small(const std::uint32_t* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns,
                     std::uint32_t* to, std::int64_t to_row);
void transpose_small(const double* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns, double* to,
                     std::int64_t to_row);

}  // namespace softalign
