#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

#include "kernels/elementwise.h"
#include "kernels/gru.h"
#include "kernels/gru_cho.h"
#include "kernels/layer_norm.h"
#include "kernels/lstm.h"
#include "ops/affine.h"
#include "ops/packed_weights.h"
#include "ops/recurrent.h"

namespace softalign {

// The recurrent units in passes written by hand, for the functions of ops/recurrent.h that run many steps: what
// differs from unit to unit, and what does not (UnitSteps).

// What a layer normalisation leaves for its backward pass, packed. Without one, all that follows does nothing.
struct KeptNorm {
    at::Tensor normalized;  // [P,K]
    at::Tensor scale;       // [P,1]

    static KeptNorm empty(std::int64_t steps, const NormWeights& weights) {
        if (!weights.gain.defined()) {
            return {};
        }
        const at::TensorOptions options = weights.gain.options().requires_grad(false);
        return {at::empty({steps, weights.gain.size(0)}, options), at::empty({steps, 1}, options)};
    }
};

// x [rows,K] from row `offset` on, in place.
template <typename T>
void normalize(const NormWeights& weights, const KeptNorm& kept, std::int64_t offset, std::int64_t rows, T* x) {
    if (weights.gain.defined()) {
        const std::int64_t width = weights.gain.size(0);
        layer_norm_forward<T>(x, weights.gain.data_ptr<T>(), weights.shift.data_ptr<T>(),
                              kept.normalized.data_ptr<T>() + offset * width, kept.scale.data_ptr<T>() + offset, x,
                              {rows, width});
    }
}

// The gradient of x from that of the result, which may be the same array. Adds those of the weights to `sums`.
template <typename T>
void normalize_backward(const NormWeights& weights, const KeptNorm& kept, std::int64_t offset, std::int64_t rows,
                        const NormWeights& sums, const T* grad_result, T* grad) {
    if (weights.gain.defined()) {
        const std::int64_t width = weights.gain.size(0);
        layer_norm_backward<T>(kept.normalized.data_ptr<T>() + offset * width, kept.scale.data_ptr<T>() + offset,
                               weights.gain.data_ptr<T>(), grad_result, sums.gain.data_ptr<T>(),
                               sums.shift.data_ptr<T>(), grad, {rows, width});
    }
}

// Zeros to add the gradients of a norm's weights to.
inline NormWeights zero_sums(const KeptNorm& kept) {
    return kept.normalized.defined() ? NormWeights{at::zeros({kept.normalized.size(1)}, kept.normalized.options()),
                                                   at::zeros({kept.normalized.size(1)}, kept.normalized.options())}
                                     : NormWeights();
}

// Those gradients as an autograd function returns them.
inline NormWeights deposit(const NormWeights& weights, const NormWeights& sums) {
    return weights.gain.defined() ? NormWeights{deposit(weights.gain, sums.gain), deposit(weights.shift, sums.shift)}
                                  : NormWeights();
}

// What the forward pass leaves for the backward one, packed.
struct KeptUnit {
    at::Tensor gates;     // [P,G*H], after their functions
    at::Tensor inner;     // [P,H] U_n h + d_n of the GRU, r * h of gru_cho, c before the step of the LSTM
    at::Tensor before;    // [P,H] h before the step
    at::Tensor entering;  // [P,H] that times the mask; undefined without one
    KeptNorm norm;

    static KeptUnit empty(std::int64_t steps, std::int64_t gates, const UnitWeights& weights) {
        const std::int64_t width = weights.weight.size(1);
        const at::TensorOptions options = weights.weight.options().requires_grad(false);
        const auto of_width = [&](std::int64_t columns) { return at::empty({steps, columns}, options); };
        return {of_width(gates * width), of_width(width), of_width(width),
                weights.mask.defined() ? of_width(width) : at::Tensor(), KeptNorm::empty(steps, weights.norm)};
    }
    const at::Tensor& entered() const { return entering.defined() ? entering : before; }
};

// One step of it.
template <typename T>
struct KeptStep {
    std::int64_t offset;
    std::int64_t rows;
    T* gates;
    T* inner;
    T* before;
    T* entering;  // `before` without a mask
    const KeptNorm& norm;
};

template <typename T>
struct StepGradients {
    T* hidden;     // [N,H] of h' before unit.backward(); of h, where it enters h' directly, after it
    T* cell;       // [N,H] likewise; LSTM only
    T* projected;  // [N,G*H] of W x + b
    T* recurrent;  // [N,G*H] of U h + d; the same array for all units but the GRU
    const NormWeights& norm;
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
          norm_(weights.norm),
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
    // U h + d, or LN(U h) [N,G*H].
    const T* recurrent(const KeptStep<T>& kept) {
        T* result = recurrent_.template data_ptr<T>();
        const bool has_bias = !norm_.gain.defined();
        product_(kept.entering, kept.rows, result, has_bias ? Start::bias : Start::zero,
                 has_bias ? bias_.data_ptr<T>() : nullptr);
        normalize(norm_, kept.norm, kept.offset, kept.rows, result);
        return result;
    }
    // The gradient of U h from that of LN(U h), in place.
    void recurrent_backward(const KeptStep<T>& kept, const StepGradients<T>& grad) const {
        normalize_backward(norm_, kept.norm, kept.offset, kept.rows, grad.norm, grad.recurrent, grad.recurrent);
    }
    UnitShape shape(const KeptStep<T>& kept) const { return {kept.rows, width_}; }

private:
    std::int64_t width_;
    RepeatedProduct<T> product_;
    at::Tensor bias_;
    NormWeights norm_;
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
        this->recurrent_backward(kept, grad);
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
        return {offset,    rows, place(kept_.gates), place(kept_.inner), place(kept_.before), place(kept_.entered()),
                kept_.norm};
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
    NormWeights norm;      // the sums over the steps

    // With room for those of the steps, and the states' as they are before the last one.
    template <template <typename> class Unit>
    static UnitGradients empty(const KeptUnit& kept, const at::Tensor& hidden, const at::Tensor& cell) {
        const at::Tensor projected = at::empty_like(kept.gates);
        return {projected, Unit<float>::has_two_gradients ? at::empty_like(kept.gates) : projected, hidden, cell,
                zero_sums(kept.norm)};
    }

    template <typename T>
    StepGradients<T> step(std::int64_t offset) const {
        const auto place = [&](const at::Tensor& x) { return x.data_ptr<T>() + offset * x.size(1); };
        return {hidden.data_ptr<T>(), cell.defined() ? cell.data_ptr<T>() : nullptr, place(projected), place(recurrent),
                norm};
    }
};

// The gradient of d; undefined for a unit whose bias is, or has no elements.
inline at::Tensor bias_gradient(const at::Tensor& bias, const UnitGradients& grad) {
    return bias.defined() && bias.numel() > 0 ? deposit(bias, grad.recurrent.sum(0)) : at::Tensor();
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
