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

}  // namespace

at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& allowed) {
    return scores.masked_fill(allowed.logical_not(), -std::numeric_limits<double>::infinity()).softmax(-1);
}

at::Tensor tanh_scores_plain(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    const at::Tensor hidden = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh();  // [B,Tq,S,A]
    return at::linear(hidden, v).squeeze(3);
}

at::Tensor tanh_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    return has_fused_form(queries) ? FusedScores::apply(queries, keys, v) : tanh_scores_plain(queries, keys, v);
}

AttentionResult tanh_attention(const at::Tensor& queries, const at::Tensor& v, const TanhMemory& memory) {
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
