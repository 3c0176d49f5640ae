#include "ops/differences.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace softalign {

std::vector<at::Tensor> take_gradients(const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> result;
    for (const at::Tensor& input : inputs) {
        result.push_back(input.grad().defined() ? input.grad().clone() : at::zeros_like(input));
        input.mutable_grad() = at::Tensor();
    }
    return result;
}

// The derivative of the function as `input` moves along `direction`, by a step on each side.
double central_difference(const std::function<at::Tensor()>& scalar, const at::Tensor& input,
                          const at::Tensor& direction, double step) {
    const at::NoGradGuard no_grad;
    const at::Tensor start = input.detach().clone();
    at::Tensor moved = input.detach();  // the same memory
    moved.copy_(start + direction * step);
    const double above = scalar().item<double>();
    moved.copy_(start - direction * step);
    const double below = scalar().item<double>();
    moved.copy_(start);
    return (above - below) / (2.0 * step);
}

double relative_error(double expected, double actual) {
    const double error = std::abs(expected - actual) / std::max(1.0, std::abs(expected));
    return std::isnan(error) ? HUGE_VAL : error;
}

at::Tensor differentiable(at::IntArrayRef sizes) {
    return at::randn(sizes, at::kDouble).requires_grad_(true);
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
    if (a.sizes() != b.sizes()) {
        return HUGE_VAL;
    }
    const double difference = (a.detach() - b.detach()).abs().max().item<double>();
    return std::isnan(difference) ? HUGE_VAL : difference;
}

double largest_difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    double largest = a.size() == b.size() ? 0.0 : HUGE_VAL;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest = std::max(largest, largest_difference(a[i], b[i]));
    }
    return largest;
}

double gradient_error(const std::function<at::Tensor()>& scalar, const std::vector<at::Tensor>& inputs) {
    take_gradients(inputs);
    scalar().backward();
    const std::vector<at::Tensor> analytic = take_gradients(inputs);
    double worst = 0.0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const at::Tensor flat = analytic[i].reshape(-1);
        for (std::int64_t k = 0; k < flat.numel(); ++k) {
            at::Tensor direction = at::zeros_like(flat);
            direction[k] = 1.0;
            const double numeric = central_difference(scalar, inputs[i], direction.view(inputs[i].sizes()), 1e-5);
            worst = std::max(worst, relative_error(numeric, flat[k].item<double>()));
        }
    }
    return worst;
}

}  // namespace softalign
