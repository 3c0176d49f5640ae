#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace softalign {

// N(0, 1) in double, with a gradient wanted.
at::Tensor differentiable(at::IntArrayRef sizes);

// max |a - b| over all elements; infinite where the shapes differ.
double largest_difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);
double largest_difference(const at::Tensor& a, const at::Tensor& b);

// A function's result, and the gradients of its three inputs for one of the result.
struct Differentiated {
    at::Tensor result;
    std::vector<at::Tensor> gradients;
};

// Runs a function of three tensors on copies of the inputs, and backwards from `weight`, the gradient of the result.
template <typename Function>
Differentiated differentiate(Function function, std::vector<at::Tensor> inputs, const at::Tensor& weight) {
    for (at::Tensor& input : inputs) {
        input = input.detach().clone().requires_grad_(true);
    }
    const at::Tensor result = function(inputs[0], inputs[1], inputs[2]);
    (result * weight).sum().backward();
    return {result, {inputs[0].grad(), inputs[1].grad(), inputs[2].grad()}};
}

// Compares the gradient of a scalar function with central differences, element by element, for each input (double,
// requires_grad). Returns the largest difference, relative where the gradient is over 1.
double gradient_error(const std::function<at::Tensor()>& scalar, const std::vector<at::Tensor>& inputs);

// The parts of gradient_error(): the gradients of tensors, zeros where there is none, which are reset; the derivative
// of a function as `input` moves along `direction`, by a step on each side; the difference of the two.
std::vector<at::Tensor> take_gradients(const std::vector<at::Tensor>& inputs);
double central_difference(const std::function<at::Tensor()>& scalar, const at::Tensor& input,
                          const at::Tensor& direction, double step);
double relative_error(double expected, double actual);

}  // namespace softalign
