#include "model/layer_norm.h"

#include <cstdint>

#include "model/parameter.h"

namespace softalign {

LayerNorm::LayerNorm(std::int64_t size)
    : gain_(register_parameter("gain", at::ones({size}))), bias_(register_parameter("bias", zero_parameter({size}))) {}

at::Tensor LayerNorm::forward(const at::Tensor& x) const {
    return at::layer_norm(x, gain_.sizes(), gain_, bias_, 1e-5);
}

}  // namespace softalign
