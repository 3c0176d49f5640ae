#include "ops/grid_windows.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "differences.h"

namespace softalign {
namespace {

const std::vector<Grid> sample_grids = {{5, 4}, {1, 1}, {2, 7}, {6, 3}};

std::vector<WindowForm> sample_forms() {
    return {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {3, 1, 1}, {3, 2, 2}, {3, 2, 1}, {3, 3, 3}, {4, 2, 4}, {5, 1, 3}};
}

at::Tensor random_positions(std::int64_t depth) {
    std::int64_t total = 0;
    for (const Grid& grid : sample_grids) {
        total += grid.positions();
    }
    return at::randn({total, depth}, at::kDouble);
}

// The windows by the definition, number by number.
at::Tensor plain_windows(const at::Tensor& x, const std::vector<Grid>& grids, const WindowForm& form) {
    const std::int64_t k = form.kernel_size;
    const auto begin_of = [&](std::int64_t output, std::int64_t stride) {
        return output * stride - static_cast<std::int64_t>(std::ceil(static_cast<double>(k - stride) / 2.0));
    };
    std::vector<at::Tensor> windows;
    std::int64_t begin = 0;
    for (const Grid& grid : grids) {
        for (std::int64_t y = 0; y * form.row_stride < grid.height; ++y) {
            for (std::int64_t column = 0; column * form.column_stride < grid.width; ++column) {
                for (std::int64_t i = 0; i < k; ++i) {
                    for (std::int64_t j = 0; j < k; ++j) {
                        const std::int64_t from_y = begin_of(y, form.row_stride) + i;
                        const std::int64_t from_x = begin_of(column, form.column_stride) + j;
                        const bool inside = from_y >= 0 && from_y < grid.height && from_x >= 0 && from_x < grid.width;
                        windows.push_back(inside ? x[begin + from_y * grid.width + from_x] : at::zeros_like(x[0]));
                    }
                }
            }
        }
        begin += grid.positions();
    }
    return at::cat(windows).view({-1, k * k * x.size(1)});
}

TEST(GridWindows, AreThoseOfTheDefinition) {
    for (const WindowForm& form : sample_forms()) {
        for (const std::int64_t depth : {1, 3}) {
            const at::Tensor x = random_positions(depth);
            EXPECT_TRUE(grid_windows(x, sample_grids, form).equal(plain_windows(x, sample_grids, form)));
            EXPECT_TRUE(grid_windows(x.to(at::kFloat), sample_grids, form)
                            .equal(plain_windows(x.to(at::kFloat), sample_grids, form)));
            // Types without a form of their own.
            EXPECT_TRUE(grid_windows(x.to(at::kBFloat16), sample_grids, form)
                            .equal(plain_windows(x.to(at::kBFloat16), sample_grids, form)));
        }
    }
}

TEST(GridWindows, GiveTheConvolutionsOfLibTorch) {
    for (const std::int64_t stride : {1, 2}) {
        const WindowForm form{3, stride, stride};
        const Grid grid{6, 5};
        const at::Tensor x = at::randn({30, 2}, at::kDouble);
        const at::Tensor weight = at::randn({4, 2, 3, 3}, at::kDouble);
        const at::Tensor picture = x.view({1, 6, 5, 2}).permute({0, 3, 1, 2});
        const at::Tensor expected = at::conv2d(picture, weight, {}, stride, 1).permute({0, 2, 3, 1}).reshape({-1, 4});
        const at::Tensor by_window = weight.permute({0, 2, 3, 1}).reshape({4, -1});
        EXPECT_LE(largest_difference(at::linear(grid_windows(x, {grid}, form), by_window), expected), 1e-13);
        EXPECT_EQ(window_grid(grid, form).positions(), expected.size(0));
    }
}

TEST(GridWindows, GradientsAreThoseOfFiniteDifferences) {
    for (const WindowForm& form : sample_forms()) {
        const at::Tensor x = random_positions(2).requires_grad_(true);
        const at::Tensor weight = at::randn(grid_windows(x, sample_grids, form).sizes(), at::kDouble);
        EXPECT_LE(gradient_error([&] { return (grid_windows(x, sample_grids, form).square() * weight).sum(); }, {x}),
                  1e-6);
    }
}

TEST(GridWindows, StridedGridsAreRoundedUp) {
    EXPECT_EQ(window_grid({32, 301}, {3, 2, 2}), (Grid{16, 151}));
    EXPECT_EQ(window_grid({1, 1}, {5, 4, 3}), (Grid{1, 1}));
    EXPECT_EQ(window_grid({7, 8}, {3, 3, 1}), (Grid{3, 8}));
}

}  // namespace
}  // namespace softalign
