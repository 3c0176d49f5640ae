#include "ops/attention.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/version.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/additive_attention.h"
#include "ops/execution.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Shape {
    std::int64_t batch;
    std::int64_t queries;
    std::int64_t keys;
    std::int64_t width;
};

Shape shape_of(const at::Tensor& queries, const at::Tensor& keys) {
    return {queries.size(0), queries.size(1), keys.size(1), keys.size(2)};
}

class FusedScores : public torch::autograd::Function<FusedScores> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& queries_in, const at::Tensor& keys_in,
                              const at::Tensor& v_in) {
        const at::Tensor queries = queries_in.contiguous();
        const at::Tensor keys = keys_in.contiguous();
        const at::Tensor v = v_in.contiguous();
        const Shape shape = shape_of(queries, keys);
        at::Tensor scores = at::empty({shape.batch, shape.queries, shape.keys}, queries.options());
        AT_DISPATCH_FLOATING_TYPES(queries.scalar_type(), "tanh scores", [&] {
            const scalar_t* query = queries.data_ptr<scalar_t>();
            scalar_t* score = scores.data_ptr<scalar_t>();
            for (std::int64_t i = 0; i < shape.batch * shape.queries; ++i) {
                additive_scores(query + i * shape.width,
                                keys.data_ptr<scalar_t>() + i / shape.queries * shape.keys * shape.width,
                                v.data_ptr<scalar_t>(), score + i * shape.keys, shape.keys, shape.width);
            }
        });
        context->save_for_backward({queries, keys, v});
        return scores;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor grad = gradients[0].contiguous();
        const Shape shape = shape_of(saved[0], saved[1]);
        at::Tensor grad_queries = at::zeros_like(saved[0]);
        at::Tensor grad_keys = at::zeros_like(saved[1]);
        at::Tensor grad_v = at::zeros_like(saved[2]);
        AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "tanh scores backward", [&] {
            for (std::int64_t i = 0; i < shape.batch * shape.queries; ++i) {
                const std::int64_t first_key = i / shape.queries * shape.keys * shape.width;
                additive_scores_backward(
                    saved[0].data_ptr<scalar_t>() + i * shape.width, saved[1].data_ptr<scalar_t>() + first_key,
                    saved[2].data_ptr<scalar_t>(), grad.data_ptr<scalar_t>() + i * shape.keys,
                    grad_queries.data_ptr<scalar_t>() + i * shape.width, grad_keys.data_ptr<scalar_t>() + first_key,
                    grad_v.data_ptr<scalar_t>(), shape.keys, shape.width);
            }
        });
        return {grad_queries, grad_keys, grad_v};
    }
};

template <typename T>
void attend_each(const at::Tensor& queries, const at::Tensor& v, const TanhMemory& memory,
                 const AttentionResult& result) {
    const at::Tensor keys = memory.keys.contiguous();
    const at::Tensor values = memory.values.contiguous();
    const std::int64_t* row = memory.rows.defined() ? memory.rows.data_ptr<std::int64_t>() : nullptr;
    const std::int64_t steps = queries.size(1);
    for (std::int64_t i = 0; i < queries.size(0) * steps; ++i) {
        const std::int64_t sentence = row != nullptr ? row[i / steps] : i / steps;
        const AdditiveSource<T> source{keys.data_ptr<T>() + sentence * keys.size(1) * keys.size(2),
                                       values.data_ptr<T>() + sentence * values.size(1) * values.size(2),
                                       memory.lengths[static_cast<std::size_t>(sentence)], keys.size(2),
                                       values.size(2)};
        additive_attention(queries.data_ptr<T>() + i * keys.size(2), source, v.data_ptr<T>(),
                           result.weights.data_ptr<T>() + i * keys.size(1),
                           result.context.data_ptr<T>() + i * values.size(2));
    }
}

// All of additive attention as one node of the graph, for devices, where the number of operations costs more than their
// work. tanh(q + k) is computed again in the backward pass, so that no tensor of the size of B * S * A is kept for a
// step.
class DeviceAttention : public torch::autograd::Function<DeviceAttention> {
public:
    static variable_list forward(AutogradContext* context, const at::Tensor& queries, const at::Tensor& keys,
                                 const at::Tensor& v, const at::Tensor& values, const at::Tensor& mask) {
        const at::Tensor scores = at::linear(hidden_layer(queries, keys), v).squeeze(3);
        const at::Tensor weights = masked_softmax(scores, mask.unsqueeze(1));
        context->save_for_backward({queries, keys, v, values, weights});
        context->set_materialize_grads(false);
        return {at::bmm(weights, values), weights};
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor& v = saved[2];
        const at::Tensor& values = saved[3];
        const at::Tensor& weights = saved[4];
        at::Tensor grad_weights = gradients[1];
        at::Tensor grad_values;
        if (gradients[0].defined()) {
            const at::Tensor from_context = at::bmm(gradients[0], values.transpose(1, 2));
            grad_weights = grad_weights.defined() ? grad_weights + from_context : from_context;
            grad_values = at::bmm(weights.transpose(1, 2), gradients[0]);
        }
        const at::Tensor weighted = grad_weights * weights;
        const at::Tensor grad_scores = at::addcmul(weighted, weights, weighted.sum(2, /*keepdim=*/true), -1);
        const at::Tensor hidden = hidden_layer(saved[0], saved[1]);
        const at::Tensor grad_v = grad_scores.reshape({1, -1}).mm(hidden.view({-1, v.size(1)}));
        const at::Tensor grad_sum = at::tanh_backward(grad_scores.unsqueeze(3) * v.view({-1}), hidden);
        return {grad_sum.sum(2), grad_sum.size(1) == 1 ? grad_sum.squeeze(1) : grad_sum.sum(1), grad_v, grad_values,
                at::Tensor()};
    }

private:
    // [B,T,S,A]
    static at::Tensor hidden_layer(const at::Tensor& queries, const at::Tensor& keys) {
        return (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh_();
    }
};

}  // namespace

at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& allowed) {
    return at::where(allowed, scores, -std::numeric_limits<double>::infinity()).softmax(-1);
}

at::Tensor tanh_scores_plain(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    const at::Tensor hidden = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh();  // [B,Tq,S,A]
    return at::linear(hidden, v).squeeze(3);
}

at::Tensor tanh_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    return has_fused_form(queries) ? FusedScores::apply(queries, keys, v) : tanh_scores_plain(queries, keys, v);
}

AttentionResult tanh_attention(const at::Tensor& queries, const at::Tensor& v, const TanhMemory& memory) {
    if (!queries.device().is_cpu()) {
        const variable_list result = DeviceAttention::apply(queries, memory.keys, v, memory.values, memory.mask);
        return {result[0], result[1]};
    }
    if (at::GradMode::is_enabled() || !has_fused_form(queries)) {
        const at::Tensor weights = masked_softmax(tanh_scores(queries, memory.keys, v), memory.mask.unsqueeze(1));
        return {at::bmm(weights, memory.values), weights};
    }
    AttentionResult result{
        at::empty({queries.size(0), queries.size(1), memory.values.size(2)}, memory.values.options()),
        at::zeros({queries.size(0), queries.size(1), memory.keys.size(1)}, memory.keys.options())};
    AT_DISPATCH_FLOATING_TYPES(queries.scalar_type(), "additive attention",
                               [&] { attend_each<scalar_t>(queries.contiguous(), v, memory, result); });
    return result;
}

at::Tensor scaled_dot_context(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                              const at::Tensor& allowed) {
#if TORCH_VERSION_MAJOR >= 2
    const at::Tensor mask = allowed.expand({queries.size(0), queries.size(1), queries.size(2), keys.size(2)});
    return at::scaled_dot_product_attention(queries, keys, values, mask);
#else
    static_cast<void>(queries);
    static_cast<void>(keys);
    static_cast<void>(values);
    static_cast<void>(allowed);
    return at::Tensor();
#endif
}

}  // namespace softalign
