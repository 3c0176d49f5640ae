#include "kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "arrays.h"

namespace softalign {
namespace {

AdamStep step_of(double beta1, double beta2, double l2, double decay) {
    AdamStep step{};
    step.rate = 0.05F;
    step.share1 = static_cast<float>(1.0 - beta1);
    step.beta2 = static_cast<float>(beta2);
    step.share2 = static_cast<float>(1.0 - beta2);
    step.correction2 = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(beta2, 3.0)));
    step.epsilon = 1e-8F;
    step.l2 = static_cast<float>(l2);
    step.decay = static_cast<float>(decay);
    return step;
}

// The plain form: one number at a time, in double.
void expect_update(const AdamStep& step, std::int64_t count) {
    const Array<float> gradient(count, 1);
    const Array<float> old_weight(count, 2);
    const Array<float> old_m(count, 3);
    Array<float> old_v(count, 4);
    for (std::int64_t i = 0; i < count; ++i) {
        old_v[i] = std::abs(old_v[i]);
    }
    Array<float> weight = old_weight;
    Array<float> m = old_m;
    Array<float> v = old_v;
    adam_update(step, gradient.data(), weight.data(), m.data(), v.data(), count);
    const auto g = [&](std::int64_t i) { return gradient[i] + static_cast<double>(step.l2) * old_weight[i]; };
    const auto new_m = [&](std::int64_t i) { return old_m[i] + static_cast<double>(step.share1) * (g(i) - old_m[i]); };
    const auto new_v = [&](std::int64_t i) {
        return static_cast<double>(step.beta2) * static_cast<double>(old_v[i]) +
               static_cast<double>(step.share2) * g(i) * g(i);
    };
    expect_array(m, 3e-7, new_m);
    expect_array(v, 3e-7, new_v);
    expect_array(weight, 2e-6, [&](std::int64_t i) {
        const double size = std::sqrt(new_v(i)) * static_cast<double>(step.correction2);
        return static_cast<double>(step.decay) * old_weight[i] -
               static_cast<double>(step.rate) * new_m(i) / (size + static_cast<double>(step.epsilon));
    });
}

TEST(AdamUpdate, IsThePlainFormInFloat) {
    const std::vector<AdamStep> steps = {step_of(0.9, 0.999, 0.0, 1.0), step_of(0.9, 0.98, 0.1, 1.0),
                                         step_of(0.9, 0.999, 0.0, 0.97), step_of(0.0, 0.0, 0.0, 1.0),
                                         step_of(0.99999, 0.99999999, 0.0, 1.0)};
    for (const std::int64_t count : kernel_lengths()) {
        for (const AdamStep& step : steps) {
            expect_update(step, count);
        }
    }
}

TEST(MoveTowards, IsThePlainFormInFloat) {
    for (const std::int64_t count : kernel_lengths()) {
        for (const float share : {1.0F, 0.1F, 1e-7F}) {
            const Array<float> x(count, 1);
            const Array<float> before(count, 2);
            Array<float> average = before;
            move_towards(average.data(), x.data(), share, count);
            expect_array(average, 2e-7,
                         [&](std::int64_t i) { return before[i] + static_cast<double>(share) * (x[i] - before[i]); });
        }
    }
}

}  // namespace
}  // namespace softalign
