#include "model/parameter.h"

#include <cstdint>
#include <limits>

namespace softalign {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

thread_local std::int64_t numbers_left = unlimited;

// Takes what a parameter has off the budget.
void spend(at::IntArrayRef sizes) {
    std::int64_t numbers = 1;
    for (const std::int64_t size : sizes) {
        if (size > 0 && numbers > numbers_left / size) {
            throw ParameterBudget::Exceeded();
        }
        numbers *= size;
    }
    numbers_left -= numbers;
}

}  // namespace

at::Tensor zero_parameter(at::IntArrayRef sizes) {
    if (numbers_left != unlimited) {
        spend(sizes);
    }
    return at::zeros(sizes);
}

ParameterBudget::ParameterBudget(std::int64_t numbers) : before_(numbers_left) {
    numbers_left = numbers;
}

ParameterBudget::~ParameterBudget() {
    numbers_left = before_;
}

}  // namespace softalign
