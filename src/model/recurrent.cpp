#include "model/recurrent.h"

#include "model/gru_gates.h"

namespace softalign {

namespace {

std::int64_t gate_count(CellType type) {
    return type == CellType::gru ? 3 : 4;
}

at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
    return x.defined() ? x.index_select(0, rows) : x;
}

}  // namespace

RecurrentState RecurrentState::select(const at::Tensor& rows) const {
    return {select_rows(hidden, rows), select_rows(cell, rows)};
}

RecurrentCell::RecurrentCell(CellType type, std::int64_t input_size, std::int64_t hidden_size, bool layer_norm,
                             std::int64_t context_size)
    : type_(type), hidden_size_(hidden_size) {
    const std::int64_t width = gate_count(type) * hidden_size;
    weight_ih_ = register_parameter("weight_ih", at::zeros({width, input_size}));
    if (context_size > 0) {
        weight_ch_ = register_parameter("weight_ch", at::zeros({width, context_size}));
    }
    weight_hh_ = register_parameter("weight_hh", at::zeros({width, hidden_size}));
    if (!layer_norm) {
        bias_ih_ = register_parameter("bias_ih", at::zeros({width}));
        bias_hh_ = register_parameter("bias_hh", at::zeros({width}));
        return;
    }
    norm_ih_ = register_module("norm_ih", std::make_shared<LayerNorm>(width));
    norm_hh_ = register_module("norm_hh", std::make_shared<LayerNorm>(width));
    if (context_size > 0) {
        norm_ch_ = register_module("norm_ch", std::make_shared<LayerNorm>(width));
    }
    if (type == CellType::lstm) {
        norm_cell_ = register_module("norm_cell", std::make_shared<LayerNorm>(hidden_size));
    }
}

at::Tensor RecurrentCell::project(const at::Tensor& x) const {
    const at::Tensor product = at::linear(x, weight_ih_, bias_ih_);
    return norm_ih_ ? norm_ih_->forward(product) : product;
}

at::Tensor RecurrentCell::project_context(const at::Tensor& c) const {
    const at::Tensor product = at::linear(c, weight_ch_);
    return norm_ch_ ? norm_ch_->forward(product) : product;
}

RecurrentState RecurrentCell::zero_state(std::int64_t rows) const {
    const at::Tensor zeros = at::zeros({rows, hidden_size_}, weight_hh_.options().requires_grad(false));
    return {zeros, type_ == CellType::lstm ? zeros : at::Tensor()};
}

RecurrentState RecurrentCell::step(const at::Tensor& projected, const RecurrentState& state,
                                   const at::Tensor& mask) const {
    const at::Tensor entering = mask.defined() ? state.hidden * mask : state.hidden;
    at::Tensor recurrent = at::linear(entering, weight_hh_, bias_hh_);
    if (norm_hh_) {
        recurrent = norm_hh_->forward(recurrent);
    }
    return type_ == CellType::gru ? step_gru(projected, recurrent, state) : step_lstm(projected, recurrent, state);
}

RecurrentState RecurrentCell::step_gru(const at::Tensor& projected, const at::Tensor& recurrent,
                                       const RecurrentState& state) const {
    return {gru_gates(projected, recurrent, state.hidden), at::Tensor()};
}

RecurrentState RecurrentCell::step_lstm(const at::Tensor& projected, const at::Tensor& recurrent,
                                        const RecurrentState& state) const {
    const std::vector<at::Tensor> gates = (projected + recurrent).chunk(4, 1);
    const at::Tensor cell = gates[1].sigmoid() * state.cell + gates[0].sigmoid() * gates[2].tanh();
    const at::Tensor normalized = norm_cell_ ? norm_cell_->forward(cell) : cell;
    return {gates[3].sigmoid() * normalized.tanh(), cell};
}

}  // namespace softalign
