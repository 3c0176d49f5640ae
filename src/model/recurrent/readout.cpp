#include "model/recurrent/readout.h"

#include <cstdint>

#include "ops/affine.h"

namespace softalign {

Readout::Readout(const ReadoutShape& shape) : shape_(shape) {
    if (shape.type == ReadoutType::none) {
        return;
    }
    const std::int64_t rows = shape.type == ReadoutType::maxout ? 2 * shape.size : shape.size;
    weight_state_ = declare("weight_state", {rows, shape.state_size}, Role::matrix);
    if (shape.word_size > 0) {
        weight_word_ = declare("weight_word", {rows, shape.word_size}, Role::matrix);
    }
    if (shape.context_size > 0) {
        weight_context_ = declare("weight_context", {rows, shape.context_size}, Role::matrix);
    }
    bias_ = declare("bias", {rows}, Role::bias);
}

at::Tensor Readout::forward(const at::Tensor& state, const at::Tensor& word, const at::Tensor& context,
                            const Execution& execution) const {
    if (shape_.type == ReadoutType::none) {
        return state;
    }
    return forward_projected(state, word,
                             weight_context_.defined() ? project_context(context, execution) : at::Tensor(), execution);
}

at::Tensor Readout::project_context(const at::Tensor& context, const Execution& execution) const {
    return affine(context, weight_context_, execution);
}

at::Tensor Readout::forward_projected(const at::Tensor& state, const at::Tensor& word, const at::Tensor& projected,
                                      const Execution& execution) const {
    at::Tensor sum = affine(state, weight_state_, bias_, execution);
    if (weight_word_.defined()) {
        sum = sum + affine(word, weight_word_, execution);
    }
    if (projected.defined()) {
        sum = sum + projected;
    }
    if (shape_.type == ReadoutType::tanh) {
        return sum.tanh();
    }
    return at::maximum(sum.slice(-1, 0, 2 * shape_.size, 2), sum.slice(-1, 1, 2 * shape_.size, 2));
}

}  // namespace softalign
