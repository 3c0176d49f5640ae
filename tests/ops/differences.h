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
