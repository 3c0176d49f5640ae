#include "ops/affine.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <vector>

#include "ops/packed_weights.h"
#include "ops/repeated_weights.h"
#include "ops/rounded_rows.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Adds row i of grad [P,E] to row ids[i] of table [V,E].
void add_rows(at::Tensor table, const at::Tensor& ids, const at::Tensor& grad) {
    if (!has_fused_form(table)) {
        table.index_add_(0, ids, grad);
        return;
    }
    const std::int64_t width = table.size(1);
    const std::int64_t* row = ids.data_ptr<std::int64_t>();
    AT_DISPATCH_FLOATING_TYPES(table.scalar_type(), "add rows", [&] {
        scalar_t* to = table.data_ptr<scalar_t>();
        const scalar_t* from = grad.data_ptr<scalar_t>();
        for (std::int64_t i = 0; i < ids.numel(); ++i) {
            for (std::int64_t j = 0; j < width; ++j) {
                to[row[i] * width + j] += from[i * width + j];
            }
        }
    });
}

at::Tensor rows_of(const at::Tensor& x, std::int64_t width) {
    return x.reshape({-1, width}).contiguous();
}

// x W^T + b; `bias` undefined or without elements where there is none.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, PackedWeights* packed,
                   bool weight_changes) {
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    return weight_product(rows_of(x, weight.size(1)), weight, Pass::forward,
                          bias.defined() && bias.numel() > 0 ? bias : at::Tensor(), packed, weight_changes)
        .view(sizes);
}

// Where the gradient of a weight is kept; undefined where it is not, or where it is a part of another tensor's.
at::Tensor gradient_in_place(const at::Tensor& weight) {
    return weight.is_leaf() ? weight.grad() : at::Tensor();
}

class Affine : public torch::autograd::Function<Affine> {
public:
    // `bias` has no elements where there is none: LibTorch takes no undefined argument.
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& bias, PackedWeights* packed) {
        context->save_for_backward({x, weight, bias});
        keep_weights(*context, packed);
        context->saved_data["wants_x"] = x.requires_grad();
        return product(x, weight, bias, packed, !is_repeated(weight));
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& x = saved[0];
        const at::Tensor& weight = saved[1];
        const at::Tensor& bias = saved[2];
        PackedWeights* const packed = kept_weights(*context);
        const at::Tensor grad = rows_of(gradients[0], weight.size(0));
        at::Tensor grad_x;
        if (context->saved_data["wants_x"].toBool()) {
            grad_x = weight_product(grad, weight, Pass::backward, at::Tensor(), packed, !is_repeated(weight))
                         .view(x.sizes());
        }
        const at::Tensor grad_weight = deposit_product(weight, grad, x.reshape({-1, weight.size(1)}), packed);
        return {grad_x, grad_weight, bias.numel() > 0 ? deposit(bias, grad.sum(0)) : at::Tensor(), at::Tensor()};
    }
};

class LookUp : public torch::autograd::Function<LookUp> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& table, const at::Tensor& ids) {
        context->save_for_backward({table, ids});
        return at::embedding(table, ids);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& table = saved[0];
        const at::Tensor ids = saved[1].reshape(-1).contiguous();
        const at::Tensor grad = gradients[0].reshape({-1, table.size(1)}).contiguous();
        const at::Tensor present = gradient_in_place(table);
        at::Tensor result = present.defined() ? at::Tensor() : at::zeros_like(table);
        add_rows(present.defined() ? present : result, ids, grad);
        return {result, at::Tensor()};
    }
};

bool wants_gradient(const at::Tensor& x, const at::Tensor& weight) {
    return at::GradMode::is_enabled() && (x.requires_grad() || weight.requires_grad());
}

}  // namespace

at::Tensor deposit_products(const at::Tensor& weight, const std::vector<GradientFactors>& parts,
                            const PackedWeights* packed) {
    if (keep_for_the_end(weight, parts, packed)) {
        return {};
    }
    const at::NoGradGuard no_grad;
    const at::Tensor present = gradient_in_place(weight);
    std::vector<at::Tensor> made;
    std::int64_t row = 0;
    for (const GradientFactors& part : parts) {
        const std::int64_t rows = part.grad.size(1);
        if (present.defined()) {
            add_weight_gradient(present.narrow(0, row, rows), part.grad, part.x, Sum::continues, packed);
        } else {
            made.push_back(part.grad.t().mm(part.x));
        }
        row += rows;
    }
    return present.defined() ? at::Tensor() : at::cat(made);
}

at::Tensor deposit_product(const at::Tensor& weight, const at::Tensor& grad, const at::Tensor& x,
                           const PackedWeights* packed) {
    return deposit_products(weight, {{grad, x}}, packed);
}

at::Tensor deposit(const at::Tensor& weight, const at::Tensor& gradient) {
    const at::NoGradGuard no_grad;
    at::Tensor present = gradient_in_place(weight);
    if (!present.defined()) {
        return gradient;
    }
    present.add_(gradient);
    return {};
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const Execution& execution) {
    if (!wants_gradient(x, weight)) {
        return product(x, weight, bias, execution.weights, false);
    }
    return Affine::apply(x, execution.repeated != nullptr ? execution.repeated->of(weight) : weight,
                         bias.defined() ? bias : at::empty({0}, weight.options().requires_grad(false)),
                         execution.weights);
}

at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids, const Execution& execution) {
    return wants_gradient(table, table) ? LookUp::apply(table, ids) : rounded_as(execution, at::embedding(table, ids));
}

}  // namespace softalign
