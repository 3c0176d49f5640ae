#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <stdexcept>

namespace softalign {

// A float32 parameter of zeros. Throws ParameterBudget::Exceeded if it exceeds a budget.
at::Tensor zero_parameter(at::IntArrayRef sizes);

// While it lives, limits the total size of the parameters that this thread makes. A configuration from elsewhere may
// describe a model too large for memory; the weights file beside it gives its size before any allocation.
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
