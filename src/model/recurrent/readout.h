#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "config/config.h"
#include "model/part.h"
#include "ops/execution.h"

namespace softalign {

struct ReadoutShape {
    ReadoutType type = ReadoutType::tanh;
    std::int64_t size = 0;          // R
    std::int64_t state_size = 0;    // H
    std::int64_t word_size = 0;     // E; 0 = the previous word is not read
    std::int64_t context_size = 0;  // C; 0 = no context is read
};

// The layer before the output projection, from the state s, the previous word e and the context c:
//   tanh:   t = tanh(W_s s + W_y e + W_c c + b);
//   maxout: u = W_s s + W_y e + W_c c + b with 2R rows,
//           t_i = max(u_{2i-1}, u_{2i})
//           (Goodfellow et al. 2013; Bahdanau et al. 2014, appendix A.2.2);
//   none:   t = s, with R = H.
class Readout : public Part {
public:
    explicit Readout(const ReadoutShape& shape);

    // state [...,H], word [...,E], context [...,C] -> [...,R]. word and context are not read if their sizes
    // are 0.
    at::Tensor forward(const at::Tensor& state, const at::Tensor& word, const at::Tensor& context,
                       const Execution& execution) const;

    // The same from W_c c, projected [...,R or 2R].
    at::Tensor forward_projected(const at::Tensor& state, const at::Tensor& word, const at::Tensor& projected,
                                 const Execution& execution) const;

    // W_c c. REQUIRES: context_size > 0, not `none`.
    at::Tensor project_context(const at::Tensor& context, const Execution& execution) const;

    // Its matrix products for `rows` rows, in floating-point operations.
    double work(std::int64_t rows) const {
        return flop(rows, weight_state_) + flop(rows, weight_word_) + flop(rows, weight_context_);
    }

    std::int64_t size() const { return shape_.size; }
    bool reads_word() const { return shape_.word_size > 0; }

private:
    ReadoutShape shape_;
    at::Tensor weight_state_;    // W_s [R or 2R,H]
    at::Tensor weight_word_;     // W_y [R or 2R,E]; undefined if not read
    at::Tensor weight_context_;  // W_c [R or 2R,C]; undefined if not read
    at::Tensor bias_;            // b [R or 2R]
};

}  // namespace softalign
