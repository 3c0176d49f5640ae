#include "kernels/adam.h"

#include <cmath>
#include <cstdint>

#include "kernels/instruction_sets.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

SOFTALIGN_INLINE void update_range(const AdamStep& step, const float* __restrict gradient, float* __restrict weight,
                                   float* __restrict m, float* __restrict v, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] + step.l2 * weight[i];
        m[i] += step.share1 * (g - m[i]);
        v[i] = step.beta2 * v[i] + step.share2 * g * g;
        weight[i] = step.decay * weight[i] - step.rate * m[i] / (std::sqrt(v[i]) * step.correction2 + step.epsilon);
    }
}

SOFTALIGN_INLINE void move_range(float* __restrict average, const float* __restrict x, float share,
                                 std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        average[i] += share * (x[i] - average[i]);
    }
}

}  // namespace

void adam_update(const AdamStep& step, const float* gradient, float* weight, float* m, float* v, std::int64_t count) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY {
        const AdamStep copy = step;  // the vectors cannot alias it
        update_range(copy, gradient, weight, m, v, count);
    });
}

void move_towards(float* average, const float* x, float share, std::int64_t count) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { move_range(average, x, share, count); });
}

}  // namespace softalign
