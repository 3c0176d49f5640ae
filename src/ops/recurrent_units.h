#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

#include "kernels/elementwise.h"
#include "kernels/gru.h"
#include "kernels/gru_cho.h"
#include "kernels/lstm.h"
#include "ops/affine.h"
#include "ops/packed_weights.h"
#include "ops/recurrent.h"

namespace softalign {

// The recurrent units in passes written by hand, for the functions of ops/recurrent.h that run many steps: what
// differs from unit to unit, and what does not (UnitSteps).

// What the forward pass leaves for the backward one, packed.
struct KeptUnit {
    at::Tensor gates;     // [P,G*H], after their functions
    at::Tensor inner;     // [P,H] U_n h + d_n of the GRU, r * h of gru_cho, c before the step of the LSTM
    at::Tensor before;    // [P,H] h before the step
    at::Tensor entering;  // [P,H] that times the mask; undefined without one

    static KeptUnit empty(std::int64_t steps, std::int64_t gates, const UnitWeights& weights) {
        const std::int64_t width = weights.weight.size(1);
        const at::TensorOptions options = weights.weight.options().requires_grad(false);
        const auto of_width = [&](std::int64_t columns) { return at::empty({steps, columns}, options); };
        return {of_width(gates * width), of_width(width), of_width(width),
                weights.mask.defined() ? of_width(width) : at::Tensor()};
    }
    const at::Tensor& entered() const { return entering.defined() ? entering : before; }
};

// One step of it.
template <typename T>
struct KeptStep {
    std::int64_t rows;
    T* gates;
    T* inner;
    T* before;
    T* entering;  // `before` without a mask
};

template <typename T>
struct StepGradients {
    T* hidden;     // [N,H] of h' before unit.backward(); of h, where it enters h' directly, after it
    T* cell;       // [N,H] likewise; LSTM only
    T* projected;  // [N,G*H] of W x + b
    T* recurrent;  // [N,G*H] of U h + d; the same array for all units but the GRU
};

// Units that multiply the state by all of U at once.
template <typename T, std::int64_t G>
class OneProductUnit {
public:
    static constexpr std::int64_t gates = G;

    OneProductUnit(const UnitWeights& weights, Pass pass, PackedWeights* packed, std::int64_t rows)
        : width_(weights.weight.size(1)),
          product_(weights.weight, pass, packed),
          bias_(weights.bias),
          recurrent_(at::empty({pass == Pass::forward ? rows : 0, G * width_},
                               weights.weight.options().requires_grad(false))) {}

    // The gradient of the state that enters U, of the first rows.
    void enter(const StepGradients<T>& grad, std::int64_t rows, T* sum, Start start) const {
        product_(grad.recurrent, rows, sum, start);
    }

    // From the gradient of U h + d at all steps [P,G*H].
    static at::Tensor weight_gradient(const at::Tensor& weight, const at::Tensor& grad, const KeptUnit& kept,
                                      const PackedWeights* packed) {
        return deposit_product(weight, grad, kept.entered(), packed);
    }

protected:
    // U h + d [N,G*H].
    const T* recurrent(const KeptStep<T>& kept) {
        product_(kept.entering, kept.rows, recurrent_.template data_ptr<T>(), Start::bias, bias_.data_ptr<T>());
        return recurrent_.template data_ptr<T>();
    }
    UnitShape shape(const KeptStep<T>& kept) const { return {kept.rows, width_}; }

private:
    std::int64_t width_;
    RepeatedProduct<T> product_;
    at::Tensor bias_;
    at::Tensor recurrent_;
};

template <typename T>
class GruUnit : public OneProductUnit<T, 3> {
public:
    static constexpr bool has_cell = false;
    static constexpr bool has_two_gradients = true;  // those of W x + b and of U h + d differ
    using OneProductUnit<T, 3>::OneProductUnit;

    void forward(const T* projected, const KeptStep<T>& kept, T* /*cell*/, T* next) {
        gru_forward(projected, this->recurrent(kept), kept.before, kept.gates, kept.inner, next, this->shape(kept));
    }
    void backward(const KeptStep<T>& kept, const StepGradients<T>& grad) {
        gru_backward(kept.gates, kept.inner, kept.before, grad.hidden, grad.projected, grad.recurrent, grad.hidden,
                     this->shape(kept));
    }
};

template <typename T>
class LstmUnit : public OneProductUnit<T, 4> {
public:
    static constexpr bool has_cell = true;
    static constexpr bool has_two_gradients = false;
    using OneProductUnit<T, 4>::OneProductUnit;

    // cell [N,H]: c before, c' after.
    void forward(const T* projected, const KeptStep<T>& kept, T* cell, T* next) {
        const UnitShape shape = this->shape(kept);
        std::copy_n(cell, shape.rows * shape.width, kept.inner);
        lstm_forward<T>(projected, this->recurrent(kept), kept.inner, kept.gates, cell, next, shape);
    }
    // h enters h' only through U.
    void backward(const KeptStep<T>& kept, const StepGradients<T>& grad) {
        const UnitShape shape = this->shape(kept);
        lstm_backward<T>(kept.gates, kept.inner, grad.hidden, grad.cell, grad.projected, grad.cell, shape);
        std::fill_n(grad.hidden, shape.rows * shape.width, static_cast<T>(0));
    }
};

// Multiplies by U_r and U_z, and then r * h by U_n.
template <typename T>
class GruChoUnit {
public:
    static constexpr std::int64_t gates = 3;
    static constexpr bool has_cell = false;
    static constexpr bool has_two_gradients = false;

    GruChoUnit(const UnitWeights& weights, Pass pass, PackedWeights* packed, std::int64_t rows)
        : width_(weights.weight.size(1)),
          of_gates_(weights.weight.narrow(0, 0, 2 * width_), pass, packed),
          of_candidate_(weights.weight.narrow(0, 2 * width_, width_), pass, packed),
          product_(at::empty({rows, 2 * width_}, weights.weight.options().requires_grad(false))) {}

    void forward(const T* projected, const KeptStep<T>& kept, T* /*cell*/, T* next) {
        const UnitShape shape{kept.rows, width_};
        T* product = product_.template data_ptr<T>();
        of_gates_(kept.entering, kept.rows, product, Start::zero);
        cho_reset_forward<T>(projected, product, kept.entering, kept.gates, kept.inner, shape);
        of_candidate_(kept.inner, kept.rows, product, Start::zero);
        cho_update_forward<T>(projected, product, kept.before, kept.gates, next, shape);
    }
    void backward(const KeptStep<T>& kept, const StepGradients<T>& grad) {
        const UnitShape shape{kept.rows, width_};
        T* reset = product_.template data_ptr<T>();
        cho_update_backward<T>(kept.gates, kept.before, grad.hidden, grad.projected, grad.hidden, shape);
        of_candidate_.of_rows(grad.projected + 2 * width_, gates * width_, kept.rows, reset, Start::zero);
        cho_reset_backward<T>(kept.gates, kept.entering, reset, grad.projected, reset, shape);
    }
    // What came through r * h is there from backward().
    void enter(const StepGradients<T>& grad, std::int64_t rows, T* sum, Start start) const {
        const T* reset = product_.template data_ptr<T>();
        if (start == Start::present) {
            add_each(reset, sum, rows * width_);
        } else {
            std::copy_n(reset, rows * width_, sum);
        }
        of_gates_.of_rows(grad.recurrent, gates * width_, rows, sum, Start::present);
    }

    static at::Tensor weight_gradient(const at::Tensor& weight, const at::Tensor& grad, const KeptUnit& kept,
                                      const PackedWeights* packed) {
        const std::int64_t width = weight.size(1);
        return deposit_products(
            weight, {{grad.narrow(1, 0, 2 * width), kept.entered()}, {grad.narrow(1, 2 * width, width), kept.inner}},
            packed);
    }

private:
    std::int64_t width_;
    RepeatedProduct<T> of_gates_;
    RepeatedProduct<T> of_candidate_;
    at::Tensor product_;  // [N,2H]
};

// The steps of one pass.
template <template <typename> class Unit, typename T>
class UnitSteps {
public:
    // For up to `rows` rows; the mask in their order.
    UnitSteps(const UnitWeights& weights, Pass pass, PackedWeights* packed, const KeptUnit& kept, std::int64_t rows)
        : width_(weights.weight.size(1)),
          unit_(weights, pass, packed, rows),
          kept_(kept),
          mask_(weights.mask),
          through_(at::empty({pass == Pass::backward && mask_.defined() ? rows : 0, width_}, kept.before.options())) {}

    // h' [rows,H] from W x + b [rows,G*H] and h [rows,H]; cell [rows,H] of an LSTM becomes c'.
    void forward(std::int64_t offset, std::int64_t rows, const T* projected, const T* hidden, T* cell, T* next) {
        const KeptStep<T> kept = step(offset, rows);
        std::copy_n(hidden, rows * width_, kept.before);
        if (mask_.defined()) {
            multiply_each(kept.before, mask_.template data_ptr<T>(), kept.entering, rows * width_);
        }
        unit_.forward(projected, kept, cell, next);
    }

    // All of grad but what reaches h through U, which enter() adds for the first rows.
    void backward(std::int64_t offset, std::int64_t rows, const StepGradients<T>& grad) {
        unit_.backward(step(offset, rows), grad);
    }
    void enter(const StepGradients<T>& grad, std::int64_t rows) {
        if (mask_.defined()) {
            T* through = through_.template data_ptr<T>();
            unit_.enter(grad, rows, through, Start::zero);
            add_products(through, mask_.template data_ptr<T>(), grad.hidden, rows * width_);
        } else {
            unit_.enter(grad, rows, grad.hidden, Start::present);
        }
    }

private:
    KeptStep<T> step(std::int64_t offset, std::int64_t rows) const {
        const auto place = [&](const at::Tensor& x) { return x.data_ptr<T>() + offset * x.size(1); };
        return {rows, place(kept_.gates), place(kept_.inner), place(kept_.before), place(kept_.entered())};
    }

    std::int64_t width_;
    Unit<T> unit_;
    KeptUnit kept_;
    at::Tensor mask_;
    at::Tensor through_;
};

// The gradients that a unit leaves at all steps.
struct UnitGradients {
    at::Tensor projected;  // [P,G*H]
    at::Tensor recurrent;  // [P,G*H]; the same tensor for all units but the GRU
    at::Tensor hidden;     // [B,H] of the states as they are carried from step to step, in the order of the rows
    at::Tensor cell;       // [B,H] likewise; LSTM only

    // With room for those of the steps, and the states' as they are before the last one.
    template <template <typename> class Unit>
    static UnitGradients empty(const KeptUnit& kept, const at::Tensor& hidden, const at::Tensor& cell) {
        const at::Tensor projected = at::empty_like(kept.gates);
        return {projected, Unit<float>::has_two_gradients ? at::empty_like(kept.gates) : projected, hidden, cell};
    }

    template <typename T>
    StepGradients<T> step(std::int64_t offset) const {
        const auto place = [&](const at::Tensor& x) { return x.data_ptr<T>() + offset * x.size(1); };
        return {hidden.data_ptr<T>(), cell.defined() ? cell.data_ptr<T>() : nullptr, place(projected),
                place(recurrent)};
    }
};

// The gradient of d; undefined for a unit whose bias has no elements.
inline at::Tensor bias_gradient(const at::Tensor& bias, const UnitGradients& grad) {
    return bias.numel() > 0 ? deposit(bias, grad.recurrent.sum(0)) : at::Tensor();
}

// x, or a tensor without elements for an autograd function: LibTorch takes no undefined argument.
inline at::Tensor or_no_elements(const at::Tensor& x, const at::Tensor& like) {
    return x.defined() ? x : at::empty({0}, like.options().requires_grad(false));
}

// Calls `function` with a value of the template's type, as in function(UnitOf<GruUnit>()).
template <template <typename> class Unit>
struct UnitOf {
    template <typename T>
    using Of = Unit<T>;
};

template <typename Function>
auto with_unit(UnitType type, Function function) {
    switch (type) {
        case UnitType::gru_cho:
            return function(UnitOf<GruChoUnit>());
        case UnitType::lstm:
            return function(UnitOf<LstmUnit>());
        case UnitType::gru:
            break;
    }
    return function(UnitOf<GruUnit>());
}

}  // namespace softalign
