#include "model/stack_input.h"

#include <cmath>
#include <cstdint>

#include "ops/affine.h"

namespace softalign {

StackInput::StackInput(const ModelConfig& config, std::int64_t size, const Declare& declare)
    : dropout_(config.dropout.residual) {
    if (config.embedding_size != size) {
        weight_ = declare("weight_in", {size, config.embedding_size}, Role::matrix);
    }
    if (config.positions.type == PositionType::learned) {
        positions_ = declare("positions", {config.positions.size, size}, Role::embedding);
    }
}

at::Tensor StackInput::operator()(const at::Tensor& embedded, const at::Tensor& positions, std::int64_t end,
                                  const Execution& execution) const {
    const at::Tensor scaled = embedded * std::sqrt(static_cast<double>(embedded.size(1)));
    const at::Tensor words = weight_.defined() ? affine(scaled, weight_, at::Tensor(), execution) : scaled;
    const at::Tensor places = positions_.defined()
                                  ? look_up(positions_, positions.clamp_max(positions_.size(0) - 1))
                                  : sinusoids(end, words.size(1), words.options()).index_select(0, positions);
    return dropout(words + places, dropout_, execution.noise);
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

}  // namespace softalign
