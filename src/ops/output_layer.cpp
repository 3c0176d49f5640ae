#include "ops/output_layer.h"

#include <cstdint>

#include "ops/affine.h"
#include "ops/rounded_rows.h"

namespace softalign {

namespace {

// multiply(x, weight, bias), with the bias once.
template <typename Multiply>
at::Tensor sum_of_products(const at::Tensor& inputs, const OutputLayer& layer, Multiply multiply) {
    if (!layer.second.defined()) {
        return multiply(inputs, layer.weight, layer.bias);
    }
    const std::int64_t width = layer.weight.size(1);
    return multiply(inputs.narrow(-1, 0, width), layer.weight, layer.bias) +
           multiply(inputs.narrow(-1, width, layer.second.size(1)), layer.second, at::Tensor());
}

}  // namespace

at::Tensor output_logits(const at::Tensor& inputs, const OutputLayer& layer, const Execution& execution) {
    return sum_of_products(inputs, layer, [&](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
        return affine(x, weight, bias, execution);
    });
}

at::Tensor output_logits(const at::Tensor& inputs, const OutputLayer& layer) {
    return sum_of_products(inputs, layer, [](const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
        return at::linear(x, weight, bias);
    });
}

OutputLayer rows_of_words(const OutputLayer& layer, const at::Tensor& ids, const Execution& execution) {
    OutputLayer result{rounded_as(execution, layer.weight.index_select(0, ids)), layer.bias.index_select(0, ids)};
    if (layer.second.defined()) {
        result.second = rounded_as(execution, layer.second.index_select(0, ids));
    }
    return result;
}

}  // namespace softalign
