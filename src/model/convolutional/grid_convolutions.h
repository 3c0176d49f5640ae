#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/grid.h"
#include "config/config.h"
#include "model/part.h"
#include "ops/execution.h"
#include "ops/grid_windows.h"

namespace softalign {

// Two-dimensional convolutions over grids of features, with striding: each layer is
//   relu(W w_p + b), or relu(LN(W w_p)) with layer normalisation,
// of the windows w_p of ops/grid_windows.h. Then j rows may be joined: the output position (y, x) has the positions
// (j y, x) .. (j y + j - 1, x) one after another, zeros below the grid. With j as large as the grid is high, its
// columns become a sequence. Every grid is computed without padding.
class GridConvolutions : public Part {
public:
    // Of features of width D = config.size. REQUIRES: as many strides as layers, or one.
    explicit GridConvolutions(const SourceConfig& config);

    // x [P,D], the positions of `grids` one grid after another -> [P',depth()], those of the strided and joined grids.
    at::Tensor forward(const at::Tensor& x, const std::vector<Grid>& grids, const Execution& execution) const;

    // The grid of what comes out.
    Grid grid(const Grid& source) const;

    // The channels of the last layer, D without layers, times the rows that are joined.
    std::int64_t depth() const { return depth_; }

    // The products for all these grids.
    double work(const std::vector<Grid>& grids) const;

private:
    class Layer;

    std::int64_t depth_;
    std::int64_t join_rows_;
    std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace softalign
