#include "model/stack_input.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/affine.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

// Where the positions of grids lie, for the two halves of an encoding: row and column in a grid of several rows, twice
// the column in a grid of one row. On the device of `rows`.
struct GridPlaces {
    at::Tensor first;     // [P] int64
    at::Tensor second;    // [P] int64
    at::Tensor in_plane;  // [P,1] bool: in a grid of several rows
    std::int64_t end = 0;
};

GridPlaces grid_places(const SentenceRows& rows, const std::vector<Grid>& grids) {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
    std::vector<std::int64_t> in_plane;
    GridPlaces places;
    for (const Grid& grid : grids) {
        const bool plane = grid.height > 1;
        for (std::int64_t p = 0; p < grid.positions(); ++p) {
            second.push_back(p % grid.width);
            first.push_back(plane ? p / grid.width : second.back());
        }
        in_plane.resize(first.size(), plane ? 1 : 0);
        places.end = std::max({places.end, grid.height, grid.width});
    }
    const auto on_device = [&](const std::vector<std::int64_t>& values) {
        return to_device(values, rows.places.device());
    };
    places.first = on_device(first);
    places.second = on_device(second);
    places.in_plane = on_device(in_plane).to(at::kBool).unsqueeze(1);
    return places;
}

bool has_plane(const std::vector<Grid>& grids) {
    return std::any_of(grids.begin(), grids.end(), [](const Grid& grid) { return grid.height > 1; });
}

}  // namespace

StackInput::StackInput(const ModelConfig& config, std::int64_t size, const Declare& declare)
    : dropout_(config.dropout.residual) {
    if (config.embedding_size != size) {
        weight_ = declare("weight_in", {size, config.embedding_size}, Role::matrix);
    }
    if (config.positions.type == PositionType::learned) {
        positions_ = declare("positions", {config.positions.size, size}, Role::embedding);
    }
}

at::Tensor StackInput::words(const at::Tensor& embedded, const Execution& execution) const {
    const at::Tensor scaled = embedded * std::sqrt(static_cast<double>(embedded.size(1)));
    return weight_.defined() ? affine(scaled, weight_, at::Tensor(), execution) : scaled;
}

at::Tensor StackInput::operator()(const at::Tensor& embedded, const at::Tensor& positions, std::int64_t end,
                                  const Execution& execution) const {
    const at::Tensor x = words(embedded, execution);
    const at::Tensor places = positions_.defined()
                                  ? look_up(positions_, positions.clamp_max(positions_.size(0) - 1), execution)
                                  : sinusoids(end, x.size(1), x.options()).index_select(0, positions);
    return dropout(x + places, dropout_, execution.noise);
}

at::Tensor StackInput::operator()(const at::Tensor& embedded, const SentenceRows& rows, const std::vector<Grid>& grids,
                                  const Execution& execution) const {
    if (!has_plane(grids)) {
        return (*this)(embedded, rows.positions, rows.width, execution);
    }
    const at::Tensor x = words(embedded, execution);
    if (!positions_.defined()) {
        return dropout(x + grid_sinusoids(rows, grids, x.size(1), x.options()), dropout_, execution.noise);
    }
    const GridPlaces places = grid_places(rows, grids);
    const std::int64_t half = x.size(1) / 2;
    const auto part = [&](const at::Tensor& of, std::int64_t from, std::int64_t size) {
        return look_up(positions_, of.clamp_max(positions_.size(0) - 1), execution).narrow(1, from, size);
    };
    const at::Tensor encodings = at::cat({part(places.first, 0, half), part(places.second, half, x.size(1) - half)}, 1);
    return dropout(x + encodings, dropout_, execution.noise);
}

double StackInput::work(std::int64_t rows) const {
    return flop(rows, weight_);
}

at::Tensor sinusoids(std::int64_t length, std::int64_t size, const at::TensorOptions& options) {
    const auto type = options.requires_grad(false);
    const at::Tensor even = at::arange(0, size, 2, type);
    const at::Tensor angles =
        at::arange(length, type).unsqueeze(1) * (even * (-std::log(10000.0) / static_cast<double>(size))).exp();
    return at::stack({angles.sin(), angles.cos()}, 2).reshape({length, -1}).narrow(1, 0, size);
}

at::Tensor grid_sinusoids(const SentenceRows& rows, const std::vector<Grid>& grids, std::int64_t size,
                          const at::TensorOptions& options) {
    const GridPlaces places = grid_places(rows, grids);
    const auto encode = [&](const at::Tensor& of, std::int64_t width) {
        return sinusoids(places.end, width, options).index_select(0, of);
    };
    const at::Tensor plane = at::cat({encode(places.first, size / 2), encode(places.second, size - size / 2)}, 1);
    return at::where(places.in_plane, plane, encode(places.second, size));
}

}  // namespace softalign
