#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

#include "config/config.h"
#include "model/layer_norm.h"
#include "model/part.h"
#include "ops/execution.h"
#include "ops/heads_attention.h"

namespace softalign {

struct KeysValues {
    at::Tensor keys;    // [P,g*a], a = H/h
    at::Tensor values;  // [P,g*a]
};

// Attention with h query heads and g key and value heads (Vaswani et al. 2017, section 3.2.2; Shazeer 2019; Ainslie et
// al. 2023), without biases:
//   head_i = softmax(Q_i K_j' / sqrt(a)) V_j, j = floor(i g / h); the heads side by side, times W_O.
class TransformerAttention : public Part {
public:
    // size H, the width of queries and output; memory_size D, that of what is read.
    TransformerAttention(const TransformerConfig& config, std::int64_t size, std::int64_t memory_size, bool causal,
                         double dropout);

    // x [P,D]
    KeysValues read(const at::Tensor& x, const Execution& execution) const;

    // x [Pq,H] -> [Pq,H]. `weights`: if not null, receives the mean of the heads' weights [Pq,width].
    at::Tensor attend(const at::Tensor& x, const KeysValues& memory, const Sequences& sequences,
                      const Execution& execution, std::int64_t width = 0, at::Tensor* weights = nullptr) const;

    // The products of reading and attending, in floating-point operations; `pairs` of a query and a key.
    double reading_work(std::int64_t rows) const;
    double attending_work(std::int64_t rows, std::int64_t pairs) const;

private:
    HeadsForm form_;
    at::Tensor weight_query_;   // [H,H]
    at::Tensor weight_key_;     // [g*a,D]
    at::Tensor weight_value_;   // [g*a,D]
    at::Tensor weight_output_;  // [H,H]
};

// y = act(x W1' + b1) W2' + b2 (Vaswani et al. 2017, equation 2); swiglu: (silu(x W1' + b1) * (x W3' + b3)) W2' + b2
// (Shazeer 2020).
class FeedForward : public Part {
public:
    FeedForward(const TransformerConfig& config, std::int64_t size, double dropout);

    // [P,H] -> [P,H]
    at::Tensor forward(const at::Tensor& x, const Execution& execution) const;

    double work(std::int64_t rows) const;

private:
    Activation activation_;
    double dropout_;
    at::Tensor weight1_;  // [F,H]
    at::Tensor bias1_;    // [F]
    at::Tensor weight3_;  // [F,H]; undefined but for swiglu
    at::Tensor bias3_;    // [F]
    at::Tensor weight2_;  // [H,F]
    at::Tensor bias2_;    // [H]
};

// A sub-layer f on the residual stream x [P,H]: x + drop(f(LN(x))), or LN(x + drop(f(x))).
template <typename Function>
at::Tensor add_sublayer(const at::Tensor& x, const LayerNorm& norm, NormPlace place, double drop,
                        const Execution& execution, const Function& f) {
    if (place == NormPlace::pre) {
        return x + dropout(f(norm.forward(x)), drop, execution.noise);
    }
    return norm.forward(x + dropout(f(x), drop, execution.noise));
}

}  // namespace softalign
