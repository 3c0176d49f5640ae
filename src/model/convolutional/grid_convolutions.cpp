#include "model/convolutional/grid_convolutions.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/layer_norm.h"
#include "ops/affine.h"

namespace softalign {

namespace {

// That of a layer: one stride serves all.
std::int64_t stride_of(const std::vector<std::int64_t>& strides, std::size_t layer) {
    return strides.size() == 1 ? strides.front() : strides[layer];
}

Grid joined_grid(const Grid& grid, std::int64_t rows) {
    return {(grid.height + rows - 1) / rows, grid.width};
}

// x [P,C] -> [P',rows*C]
at::Tensor join_rows(const at::Tensor& x, const std::vector<Grid>& grids, std::int64_t rows) {
    const std::int64_t depth = x.size(1);
    std::vector<at::Tensor> joined;
    std::int64_t begin = 0;
    for (const Grid& grid : grids) {
        const Grid result = joined_grid(grid, rows);
        at::Tensor part = x.narrow(0, begin, grid.positions());
        if (const std::int64_t missing = result.height * rows - grid.height; missing > 0) {
            part = at::cat({part, at::zeros({missing * grid.width, depth}, x.options().requires_grad(false))}, 0);
        }
        joined.push_back(part.reshape({result.height, rows, grid.width, depth})
                             .transpose(1, 2)
                             .reshape({result.positions(), rows * depth}));
        begin += grid.positions();
    }
    return at::cat(joined, 0);
}

}  // namespace

class GridConvolutions::Layer : public Part {
public:
    Layer(std::int64_t inputs, std::int64_t outputs, const WindowForm& form, bool layer_norm)
        : form_(form),
          weight_(declare("weight", {outputs, form.kernel_size * form.kernel_size * inputs}, Role::matrix)) {
        if (layer_norm) {
            norm_ = add_part("norm", std::make_shared<LayerNorm>(outputs));
        } else {
            bias_ = declare("bias", {outputs}, Role::bias);
        }
    }

    at::Tensor forward(const at::Tensor& x, const std::vector<Grid>& grids, const Execution& execution) const {
        const at::Tensor y = affine(grid_windows(x, grids, form_), weight_, bias_, execution);
        return (norm_ ? norm_->forward(y) : y).relu();
    }

    Grid grid(const Grid& source) const { return window_grid(source, form_); }

    double work(std::int64_t outputs) const { return flop(outputs, weight_); }

private:
    WindowForm form_;
    at::Tensor weight_;  // [C',k*k*C]: the places of a window row after row, the channels of each
    at::Tensor bias_;    // [C']; undefined with layer normalisation, which has its own
    std::shared_ptr<LayerNorm> norm_;
};

GridConvolutions::GridConvolutions(const SourceConfig& config) : depth_(config.size), join_rows_(config.join_rows) {
    const ConvolutionsConfig& convolutions = config.convolutions;
    for (std::size_t i = 0; i < convolutions.channels.size(); ++i) {
        const WindowForm form{convolutions.kernel_size, stride_of(convolutions.row_strides, i),
                              stride_of(convolutions.column_strides, i)};
        layers_.push_back(
            add_part("layer" + std::to_string(i),
                     std::make_shared<Layer>(depth_, convolutions.channels[i], form, convolutions.layer_norm)));
        depth_ = convolutions.channels[i];
    }
    depth_ *= join_rows_;
}

at::Tensor GridConvolutions::forward(const at::Tensor& x, const std::vector<Grid>& grids,
                                     const Execution& execution) const {
    at::Tensor result = x;
    std::vector<Grid> sizes = grids;
    for (const auto& layer : layers_) {
        result = layer->forward(result, sizes, execution);
        for (Grid& size : sizes) {
            size = layer->grid(size);
        }
    }
    return join_rows_ > 1 ? join_rows(result, sizes, join_rows_) : result;
}

Grid GridConvolutions::grid(const Grid& source) const {
    Grid result = source;
    for (const auto& layer : layers_) {
        result = layer->grid(result);
    }
    return joined_grid(result, join_rows_);
}

double GridConvolutions::work(const std::vector<Grid>& grids) const {
    double sum = 0.0;
    for (Grid grid : grids) {
        for (const auto& layer : layers_) {
            grid = layer->grid(grid);
            sum += layer->work(grid.positions());
        }
    }
    return sum;
}

}  // namespace softalign
