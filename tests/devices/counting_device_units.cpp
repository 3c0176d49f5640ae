// The recurrent units that LibTorch has for CUDA alone and, in newer releases, expects of every device.
#include <ATen/ATen.h>
#include <torch/library.h>
#include <torch/version.h>

#include <optional>
#include <tuple>
#include <vector>

namespace softalign {

namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
using OptionalTensor = std::optional<at::Tensor>;
#else
using OptionalTensor = c10::optional<at::Tensor>;
#endif
using std::tuple;

at::Tensor with_bias(const at::Tensor& gates, const OptionalTensor& bias) {
    return bias.has_value() && bias->defined() ? gates + *bias : gates;
}

at::Tensor bias_gradient(const at::Tensor& gates, bool has_bias) {
    return has_bias ? gates.sum(0) : at::Tensor();
}

// s from sigma(x), and t from tanh(x): the derivatives.
at::Tensor of_sigmoid(const at::Tensor& s) {
    return s * (1 - s);
}
at::Tensor of_tanh(const at::Tensor& t) {
    return 1 - t * t;
}

// The second result is for the backward pass: r, z, n, h and U_n h + d_n side by side.
tuple<at::Tensor, at::Tensor> gru(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden,
                                  const OptionalTensor& projected_bias, const OptionalTensor& recurrent_bias) {
    const std::vector<at::Tensor> p = with_bias(projected, projected_bias).chunk(3, 1);
    const std::vector<at::Tensor> u = with_bias(recurrent, recurrent_bias).chunk(3, 1);
    const at::Tensor r = (p[0] + u[0]).sigmoid();
    const at::Tensor z = (p[1] + u[1]).sigmoid();
    const at::Tensor n = (p[2] + r * u[2]).tanh();
    return {n + z * (hidden - n), at::cat({r, z, n, hidden, u[2]}, 1)};
}

tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_backward(const at::Tensor& grad,
                                                                               const at::Tensor& kept, bool has_bias) {
    const std::vector<at::Tensor> k = kept.chunk(5, 1);
    const at::Tensor &r = k[0], &z = k[1], &n = k[2], &hidden = k[3], &inner = k[4];
    const at::Tensor of_n = grad * (1 - z) * of_tanh(n);
    const at::Tensor of_z = grad * (hidden - n) * of_sigmoid(z);
    const at::Tensor of_r = of_n * inner * of_sigmoid(r);
    const at::Tensor of_projected = at::cat({of_r, of_z, of_n}, 1);
    const at::Tensor of_recurrent = at::cat({of_r, of_z, of_n * r}, 1);
    return {of_projected, of_recurrent, grad * z, bias_gradient(of_projected, has_bias),
            bias_gradient(of_recurrent, has_bias)};
}

// The third result is for the backward pass: i, f, g and o side by side.
tuple<at::Tensor, at::Tensor, at::Tensor> lstm(const at::Tensor& projected, const at::Tensor& recurrent,
                                               const at::Tensor& cell, const OptionalTensor& projected_bias,
                                               const OptionalTensor& recurrent_bias) {
    const at::Tensor sum = with_bias(projected, projected_bias) + with_bias(recurrent, recurrent_bias);
    const std::vector<at::Tensor> x = sum.chunk(4, 1);
    const at::Tensor i = x[0].sigmoid();
    const at::Tensor f = x[1].sigmoid();
    const at::Tensor g = x[2].tanh();
    const at::Tensor o = x[3].sigmoid();
    const at::Tensor next = f * cell + i * g;
    return {o * next.tanh(), next, at::cat({i, f, g, o}, 1)};
}

tuple<at::Tensor, at::Tensor, at::Tensor> lstm_backward(const OptionalTensor& grad_hidden,
                                                        const OptionalTensor& grad_cell, const at::Tensor& cell,
                                                        const at::Tensor& next, const at::Tensor& kept, bool has_bias) {
    const std::vector<at::Tensor> k = kept.chunk(4, 1);
    const at::Tensor &i = k[0], &f = k[1], &g = k[2], &o = k[3];
    const auto or_zeros = [&](const OptionalTensor& x) {
        return x.has_value() && x->defined() ? *x : at::zeros_like(next);
    };
    const at::Tensor of_hidden = or_zeros(grad_hidden);
    const at::Tensor of_next = or_zeros(grad_cell) + of_hidden * o * of_tanh(next.tanh());
    const at::Tensor of_gates = at::cat({of_next * g * of_sigmoid(i), of_next * cell * of_sigmoid(f),
                                         of_next * i * of_tanh(g), of_hidden * next.tanh() * of_sigmoid(o)},
                                        1);
    return {of_gates, of_next * f, bias_gradient(of_gates, has_bias)};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, units) {
    units.impl("_thnn_fused_gru_cell", &gru);
    units.impl("_thnn_fused_gru_cell_backward", &gru_backward);
    units.impl("_thnn_fused_lstm_cell", &lstm);
    units.impl("_thnn_fused_lstm_cell_backward_impl", &lstm_backward);
}

}  // namespace softalign
