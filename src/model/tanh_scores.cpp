#include "model/tanh_scores.h"

#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include "model/vector_math.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Sums are kept in so many lanes, so that they vectorise without the compiler reordering additions.
constexpr std::int64_t lanes = 16;

struct Shape {
    std::int64_t batch;
    std::int64_t queries;
    std::int64_t keys;
    std::int64_t width;
};

// sum_a v[a] tanh(q[a] + k[a])
template <typename T>
inline T score_one(const T* __restrict q, const T* __restrict k, const T* __restrict v, std::int64_t width) {
    T sums[lanes] = {};
    std::int64_t a = 0;
    for (; a + lanes <= width; a += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += v[a + lane] * vector_tanh(q[a + lane] + k[a + lane]);
        }
    }
    T total = 0;
    for (; a < width; ++a) {
        total += v[a] * vector_tanh(q[a] + k[a]);
    }
    for (const T sum : sums) {
        total += sum;
    }
    return total;
}

// Adds the gradients of one score, g its own gradient.
template <typename T>
inline void backward_one(const T* __restrict q, const T* __restrict k, const T* __restrict v, T g, T* __restrict grad_q,
                         T* __restrict grad_k, T* __restrict grad_v, std::int64_t width) {
    for (std::int64_t a = 0; a < width; ++a) {
        const T th = vector_tanh(q[a] + k[a]);
        const T inner = g * v[a] * (static_cast<T>(1) - th * th);
        grad_q[a] += inner;
        grad_k[a] += inner;
        grad_v[a] += g * th;
    }
}

// Multiversioned functions can be no templates: one of each for a type.
#define SOFTALIGN_DEFINE_SCORES(T)                                                                                \
    SOFTALIGN_MULTIVERSION void forward_scores(const T* q, const T* k, const T* v, T* scores, const Shape& n) {   \
        for (std::int64_t b = 0; b < n.batch; ++b) {                                                              \
            for (std::int64_t t = 0; t < n.queries; ++t) {                                                        \
                for (std::int64_t s = 0; s < n.keys; ++s) {                                                       \
                    *scores++ =                                                                                   \
                        score_one(q + (b * n.queries + t) * n.width, k + (b * n.keys + s) * n.width, v, n.width); \
                }                                                                                                 \
            }                                                                                                     \
        }                                                                                                         \
    }                                                                                                             \
    SOFTALIGN_MULTIVERSION void backward_scores(const T* q, const T* k, const T* v, const T* grad, T* grad_q,     \
                                                T* grad_k, T* grad_v, const Shape& n) {                           \
        for (std::int64_t b = 0; b < n.batch; ++b) {                                                              \
            for (std::int64_t t = 0; t < n.queries; ++t) {                                                        \
                const std::int64_t row = (b * n.queries + t) * n.width;                                           \
                for (std::int64_t s = 0; s < n.keys; ++s) {                                                       \
                    const T g = *grad++;                                                                          \
                    const std::int64_t column = (b * n.keys + s) * n.width;                                       \
                    if (g != static_cast<T>(0)) { /* padding has none */                                          \
                        backward_one(q + row, k + column, v, g, grad_q + row, grad_k + column, grad_v, n.width);  \
                    }                                                                                             \
                }                                                                                                 \
            }                                                                                                     \
        }                                                                                                         \
    }

SOFTALIGN_DEFINE_SCORES(float)
SOFTALIGN_DEFINE_SCORES(double)
#undef SOFTALIGN_DEFINE_SCORES

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
            forward_scores(queries.data_ptr<scalar_t>(), keys.data_ptr<scalar_t>(), v.data_ptr<scalar_t>(),
                           scores.data_ptr<scalar_t>(), shape);
        });
        context->save_for_backward({queries, keys, v});
        return scores;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor grad = gradients[0].contiguous();
        at::Tensor grad_queries = at::zeros_like(saved[0]);
        at::Tensor grad_keys = at::zeros_like(saved[1]);
        at::Tensor grad_v = at::zeros_like(saved[2]);
        AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "tanh scores backward", [&] {
            backward_scores(saved[0].data_ptr<scalar_t>(), saved[1].data_ptr<scalar_t>(), saved[2].data_ptr<scalar_t>(),
                            grad.data_ptr<scalar_t>(), grad_queries.data_ptr<scalar_t>(),
                            grad_keys.data_ptr<scalar_t>(), grad_v.data_ptr<scalar_t>(), shape_of(saved[0], saved[1]));
        });
        return {grad_queries, grad_keys, grad_v};
    }
};

}  // namespace

at::Tensor tanh_scores_plain(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    const at::Tensor hidden = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh();  // [B,Tq,S,A]
    return at::linear(hidden, v).squeeze(3);
}

at::Tensor tanh_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& v) {
    const bool by_hand =
        queries.device().is_cpu() && (queries.scalar_type() == at::kFloat || queries.scalar_type() == at::kDouble);
    return by_hand ? FusedScores::apply(queries, keys, v) : tanh_scores_plain(queries, keys, v);
}

}  // namespace softalign
