#include "ops/grid_windows.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/execution.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::int64_t ceiling(std::int64_t value, std::int64_t divisor) {
    return (value + divisor - 1) / divisor;
}

// A row of a window, as far as it lies in the grid: positions that lie side by side in both.
struct WindowRow {
    std::int64_t output = 0;     // P' position
    std::int64_t in_window = 0;  // first of the k*k places of the window
    std::int64_t input = 0;      // first P position
    std::int64_t count = 0;
};

// Calls use(WindowRow) for every row of every window, in the order of the outputs.
template <typename Use>
void for_each_row(const std::vector<Grid>& grids, const WindowForm& form, const Use& use) {
    const std::int64_t k = form.kernel_size;
    const std::int64_t above = ceiling(k - form.row_stride, 2);
    const std::int64_t before = ceiling(k - form.column_stride, 2);
    WindowRow row;
    std::int64_t begin = 0;
    for (const Grid& grid : grids) {
        const Grid windows = window_grid(grid, form);
        for (std::int64_t y = 0; y < windows.height; ++y) {
            const std::int64_t top = y * form.row_stride - above;
            for (std::int64_t x = 0; x < windows.width; ++x, ++row.output) {
                const std::int64_t left = x * form.column_stride - before;
                const std::int64_t first = std::max<std::int64_t>(left, 0);
                row.count = std::min(left + k, grid.width) - first;
                for (std::int64_t j = std::max<std::int64_t>(-top, 0); j < std::min(k, grid.height - top); ++j) {
                    row.in_window = j * k + first - left;
                    row.input = begin + (top + j) * grid.width + first;
                    use(row);
                }
            }
        }
        begin += grid.positions();
    }
}

std::int64_t window_count(const std::vector<Grid>& grids, const WindowForm& form) {
    std::int64_t count = 0;
    for (const Grid& grid : grids) {
        count += window_grid(grid, form).positions();
    }
    return count;
}

template <typename Number>
void gather(const at::Tensor& x, const std::vector<Grid>& grids, const WindowForm& form, at::Tensor& windows) {
    const std::int64_t depth = x.size(1);
    const std::int64_t width = windows.size(1);
    const Number* from = x.data_ptr<Number>();
    Number* to = windows.data_ptr<Number>();
    for_each_row(grids, form, [&](const WindowRow& row) {
        std::copy_n(from + row.input * depth, row.count * depth, to + row.output * width + row.in_window * depth);
    });
}

template <typename Number>
void scatter(const at::Tensor& windows, const std::vector<Grid>& grids, const WindowForm& form, at::Tensor& x) {
    const std::int64_t depth = x.size(1);
    const std::int64_t width = windows.size(1);
    const Number* from = windows.data_ptr<Number>();
    Number* to = x.data_ptr<Number>();
    for_each_row(grids, form, [&](const WindowRow& row) {
        const Number* source = from + row.output * width + row.in_window * depth;
        Number* target = to + row.input * depth;
        for (std::int64_t i = 0; i < row.count * depth; ++i) {
            target[i] += source[i];
        }
    });
}

class Windows : public torch::autograd::Function<Windows> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const std::vector<Grid>& grids,
                              const WindowForm& form) {
        std::vector<std::int64_t> sizes;
        for (const Grid& grid : grids) {
            sizes.insert(sizes.end(), {grid.height, grid.width});
        }
        context->saved_data["grids"] = sizes;
        context->saved_data["form"] =
            std::vector<std::int64_t>{form.kernel_size, form.row_stride, form.column_stride, x.size(0)};
        const at::Tensor from = x.contiguous();
        at::Tensor windows =
            at::zeros({window_count(grids, form), form.kernel_size * form.kernel_size * x.size(1)}, x.options());
        if (x.scalar_type() == at::kDouble) {
            gather<double>(from, grids, form, windows);
        } else {
            gather<float>(from, grids, form, windows);
        }
        return windows;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const std::vector<std::int64_t> sizes = context->saved_data["grids"].toIntVector();
        const std::vector<std::int64_t> shape = context->saved_data["form"].toIntVector();
        const WindowForm form{shape[0], shape[1], shape[2]};
        std::vector<Grid> grids;
        for (std::size_t i = 0; i < sizes.size(); i += 2) {
            grids.push_back({sizes[i], sizes[i + 1]});
        }
        const at::Tensor windows = gradients[0].contiguous();
        const std::int64_t places = form.kernel_size * form.kernel_size;
        at::Tensor x = at::zeros({shape[3], windows.size(1) / places}, windows.options());
        if (windows.scalar_type() == at::kDouble) {
            scatter<double>(windows, grids, form, x);
        } else {
            scatter<float>(windows, grids, form, x);
        }
        return {x, at::Tensor(), at::Tensor()};
    }
};

// By the index of every place: for other devices and types.
at::Tensor windows_by_index(const at::Tensor& x, const std::vector<Grid>& grids, const WindowForm& form) {
    const std::int64_t places = form.kernel_size * form.kernel_size;
    std::vector<std::int64_t> index(static_cast<std::size_t>(window_count(grids, form) * places), x.size(0));
    for_each_row(grids, form, [&](const WindowRow& row) {
        for (std::int64_t i = 0; i < row.count; ++i) {
            index[static_cast<std::size_t>(row.output * places + row.in_window + i)] = row.input + i;
        }
    });
    const at::Tensor with_zeros = at::cat({x, at::zeros({1, x.size(1)}, x.options())}, 0);
    return with_zeros.index_select(0, to_device(index, x.device())).view({-1, places * x.size(1)});
}

}  // namespace

Grid window_grid(const Grid& grid, const WindowForm& form) {
    return {ceiling(grid.height, form.row_stride), ceiling(grid.width, form.column_stride)};
}

at::Tensor grid_windows(const at::Tensor& x, const std::vector<Grid>& grids, const WindowForm& form) {
    return has_fused_form(x) ? Windows::apply(x, grids, form) : windows_by_index(x, grids, form);
}

}  // namespace softalign
