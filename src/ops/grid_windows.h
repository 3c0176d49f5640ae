#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "base/grid.h"

namespace softalign {

// Windows over grids, as convolutions read them: k rows of k positions, one window for every r rows and c columns of
// the grid. The window of the output position (y, x) is centred on the rows y r .. y r + r - 1 and the columns x c ..
// x c + c - 1: it starts at row y r - ceil((k - r) / 2) and column x c - ceil((k - c) / 2).
struct WindowForm {
    std::int64_t kernel_size = 3;    // k
    std::int64_t row_stride = 1;     // r, at most k
    std::int64_t column_stride = 1;  // c, at most k
};

// The grid of the windows: ceil(height / r) x ceil(width / c).
Grid window_grid(const Grid& grid, const WindowForm& form);

// x [P,C]: the positions of grids, one grid after another, row after row -> [P',k*k*C]: the window of every output
// position in the same order, its rows from the top, the positions of a row from the left; 0 outside the grid.
// Differentiable; the gradients of a position are added in a fixed order.
at::Tensor grid_windows(const at::Tensor& x, const std::vector<Grid>& grids, const WindowForm& form);

}  // namespace softalign
