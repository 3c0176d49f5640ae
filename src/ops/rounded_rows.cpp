#include "ops/rounded_rows.h"

#include <cstdint>

#include "base/precision.h"
#include "kernels/int8.h"
#include "ops/packed_weights.h"

namespace softalign {

RoundedRows round_rows(const at::Tensor& matrix) {
    const at::Tensor from = matrix.detach().contiguous();
    const std::int64_t count = from.size(0);
    const std::int64_t width = from.size(1);
    RoundedRows rows{at::empty({count, width}, at::kChar), at::empty({count}, at::kFloat)};
    for (std::int64_t i = 0; i < count; ++i) {
        rows.scales.data_ptr<float>()[i] =
            quantize_row(from.data_ptr<float>() + i * width, width, rows.numbers.data_ptr<std::int8_t>() + i * width);
    }
    return rows;
}

at::Tensor restored(const RoundedRows& rows) {
    return rows.numbers.to(at::kFloat).mul_(rows.scales.unsqueeze(1));
}

at::Tensor rounded_as(const Execution& execution, const at::Tensor& values) {
    if (execution.weights == nullptr || execution.weights->precision() != Precision::int8) {
        return values;
    }
    return restored(round_rows(values.reshape({-1, values.size(-1)}))).view(values.sizes());
}

}  // namespace softalign
