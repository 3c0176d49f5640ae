#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <stdexcept>

namespace softalign {

// A parameter of zeros, float32. Throws ParameterBudget::Exceeded where a budget does not allow it.
at::Tensor zero_parameter(at::IntArrayRef sizes);

// How many numbers the parameters that this thread makes may have together while the budget lives: a configuration from
// elsewhere may describe a model that no memory holds, and the weights beside it tell before any is taken.
class ParameterBudget {
public:
    class Exceeded : public std::runtime_error {
    public:
        Exceeded() : std::runtime_error("the model has more parameters than it may have") {}
    };

    explicit ParameterBudget(std::int64_t numbers);
    ~ParameterBudget();
    ParameterBudget(const ParameterBudget&) = delete;
    ParameterBudget& operator=(const ParameterBudget&) = delete;

private:
    std::int64_t before_;
};

}  // namespace softalign
