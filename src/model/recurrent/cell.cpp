#include "model/recurrent/cell.h"

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ops/affine.h"
#include "ops/packed_rows.h"
#include "ops/recurrent.h"

namespace softalign {

namespace {

std::int64_t gate_count(CellType type) {
    return type == CellType::lstm ? 4 : 3;
}

// All of them, so that a new one does not compile before it is here and takes part in comparisons.
auto members(const CellShape& shape) {
    const auto& [type, input_size, hidden_size, layer_norm, context_size, depth] = shape;
    return std::tie(type, input_size, hidden_size, layer_norm, context_size, depth);
}

}  // namespace

RecurrentState RecurrentState::select(const at::Tensor& rows) const {
    return {select_rows(hidden, rows), select_rows(cell, rows)};
}

RecurrentState RecurrentState::first(std::int64_t rows) const {
    return {first_rows(hidden, rows), first_rows(cell, rows)};
}

RecurrentCell::RecurrentCell(const CellShape& shape) : shape_(shape) {
    const std::int64_t gates = gate_count(shape.type);
    const std::int64_t width = gates * shape.hidden_size;
    const bool has_input = shape.input_size > 0;
    if (has_input) {
        weight_ih_ = declare("weight_ih", {width, shape.input_size}, Role::gates, gates);
    }
    if (shape.context_size > 0) {
        weight_ch_ = declare("weight_ch", {width, shape.context_size}, Role::gates, gates);
    }
    weight_hh_ = declare("weight_hh", {width, shape.hidden_size}, Role::recurrent, gates);
    if (!shape.layer_norm || !has_input) {
        bias_ih_ = declare("bias_ih", {width}, Role::bias);
    }
    if (!shape.layer_norm && shape.type != CellType::gru_cho) {
        bias_hh_ = declare("bias_hh", {width}, Role::bias);
    }
    if (shape.layer_norm) {
        norm_ih_ = has_input ? add_part("norm_ih", std::make_shared<LayerNorm>(width)) : nullptr;
        norm_hh_ = add_part("norm_hh", std::make_shared<LayerNorm>(width));
        norm_ch_ = shape.context_size > 0 ? add_part("norm_ch", std::make_shared<LayerNorm>(width)) : nullptr;
        norm_cell_ = shape.type == CellType::lstm
                         ? add_part("norm_cell", std::make_shared<LayerNorm>(shape.hidden_size))
                         : nullptr;
    }
    for (std::int64_t i = 1; i < shape.depth; ++i) {
        CellShape deep;
        deep.type = shape.type;
        deep.hidden_size = shape.hidden_size;
        deep.layer_norm = shape.layer_norm;
        deeper_.push_back(add_part("deep" + std::to_string(i), std::make_shared<RecurrentCell>(deep)));
    }
}

at::Tensor RecurrentCell::project(const at::Tensor& x, const Execution& execution) const {
    const at::Tensor product = affine(x, weight_ih_, bias_ih_, execution);
    return norm_ih_ ? norm_ih_->forward(product) : product;
}

at::Tensor RecurrentCell::project_context(const at::Tensor& c, const Execution& execution) const {
    const at::Tensor product = affine(c, weight_ch_, execution);
    return norm_ch_ ? norm_ch_->forward(product) : product;
}

// An option that is not named here must have its default.
bool RecurrentCell::is_simple(CellType type, bool layer_norm) const {
    CellShape plain;
    plain.type = type;
    plain.layer_norm = layer_norm;
    plain.depth = 1;
    plain.input_size = shape_.input_size;
    plain.hidden_size = shape_.hidden_size;
    plain.context_size = shape_.context_size;
    return members(shape_) == members(plain);
}

bool RecurrentCell::has_sequence_form() const {
    return is_plain() || is_simple(CellType::gru, true);
}

RecurrentState RecurrentCell::zero_state(std::int64_t rows) const {
    const at::Tensor zeros = at::zeros({rows, shape_.hidden_size}, weight_hh_.options().requires_grad(false));
    return {zeros, shape_.type == CellType::lstm ? zeros : at::Tensor()};
}

RecurrentState RecurrentCell::step(const at::Tensor& projected, const RecurrentState& state, const at::Tensor& mask,
                                   const Execution& execution) const {
    RecurrentState next = advance(projected, state, mask, execution);
    for (const auto& unit : deeper_) {
        next = unit->advance(unit->bias_ih_.expand({next.hidden.size(0), -1}), next, mask, execution);
    }
    return next;
}

double RecurrentCell::step_work(std::int64_t rows) const {
    double work = flop(rows, weight_hh_);
    for (const auto& unit : deeper_) {
        work += unit->step_work(rows);
    }
    return work;
}

UnitType RecurrentCell::unit_type() const {
    switch (shape_.type) {
        case CellType::gru_cho:
            return UnitType::gru_cho;
        case CellType::lstm:
            return UnitType::lstm;
        case CellType::gru:
            break;
    }
    return UnitType::gru;
}

RecurrentState RecurrentCell::advance(const at::Tensor& projected, const RecurrentState& state, const at::Tensor& mask,
                                      const Execution& execution) const {
    if (shape_.type != CellType::gru && !norm_hh_) {
        const UnitState next =
            unit_step(unit_type(), projected, unit_weights(mask), {state.hidden, state.cell}, execution);
        return {next.hidden, next.cell};
    }
    at::Tensor recurrent = affine(masked(state.hidden, mask), weight_hh_, bias_hh_, execution);
    if (norm_hh_) {
        recurrent = norm_hh_->forward(recurrent);
    }
    if (shape_.type == CellType::gru) {
        return {gru_gates(projected, recurrent, state.hidden), at::Tensor()};
    }
    return step_normalized_lstm(projected, recurrent, state);
}

RecurrentState RecurrentCell::step_normalized_lstm(const at::Tensor& projected, const at::Tensor& recurrent,
                                                   const RecurrentState& state) const {
    const std::vector<at::Tensor> gates = (projected + recurrent).chunk(4, 1);
    const at::Tensor cell = gates[1].sigmoid() * state.cell + gates[0].sigmoid() * gates[2].tanh();
    return {gates[3].sigmoid() * norm_cell_->forward(cell).tanh(), cell};
}

}  // namespace softalign
