#include "ops/updates.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/adam.h"

namespace softalign {

namespace {

// Four vectors of so many floats stay in a core's cache. These slices are also the units of the norm's summation, so
// the size is part of what makes a run reproducible.
constexpr std::int64_t cpu_slice = 16384;

bool is_float_on_cpu(const at::Tensor& x) {
    return x.device().is_cpu() && x.scalar_type() == at::kFloat;
}

}  // namespace

std::int64_t elements_at_a_time(const at::Tensor& flat) {
    return flat.device().is_cpu() ? cpu_slice : std::max<std::int64_t>(flat.numel(), 1);
}

void add_and_clear(const at::Tensor& into, const at::Tensor& from, std::int64_t begin, std::int64_t count) {
    if (is_float_on_cpu(into)) {
        auto* const sums = into.data_ptr<float>() + begin;
        auto* const terms = from.data_ptr<float>() + begin;
        for (std::int64_t i = 0; i < count; ++i) {
            sums[i] += terms[i];
            terms[i] = 0.0F;
        }
        return;
    }
    const at::NoGradGuard no_grad;
    at::Tensor part = from.narrow(0, begin, count);
    into.narrow(0, begin, count).add_(part);
    part.zero_();
}

void update_adam(const AdamSettings& settings, at::Tensor w, at::Tensor g, at::Tensor m, at::Tensor v) {
    const double correction1 = 1.0 - std::pow(settings.beta1, static_cast<double>(settings.t));
    const double correction2 = 1.0 - std::pow(settings.beta2, static_cast<double>(settings.t));
    const double decay = 1.0 - settings.rate * settings.weight_decay;
    if (is_float_on_cpu(w)) {
        AdamStep step{};
        step.rate = static_cast<float>(settings.rate / correction1);
        step.share1 = static_cast<float>(1.0 - settings.beta1);
        step.beta2 = static_cast<float>(settings.beta2);
        step.share2 = static_cast<float>(1.0 - settings.beta2);
        step.correction2 = static_cast<float>(1.0 / std::sqrt(correction2));
        step.epsilon = static_cast<float>(settings.epsilon);
        step.l2 = static_cast<float>(settings.l2);
        step.decay = static_cast<float>(decay);
        adam_update(step, g.data_ptr<float>(), w.data_ptr<float>(), m.data_ptr<float>(), v.data_ptr<float>(),
                    w.numel());
        return;
    }
    if (settings.l2 > 0.0) {
        g.add_(w, settings.l2);
    }
    if (settings.weight_decay > 0.0) {
        w.mul_(decay);
    }
    m.lerp_(g, 1.0 - settings.beta1);
    v.mul_(settings.beta2).addcmul_(g, g, 1.0 - settings.beta2);
    at::sqrt_out(g, v);  // the gradient is used up: its room takes the denominator
    g.div_(std::sqrt(correction2)).add_(settings.epsilon);
    w.addcdiv_(m, g, -settings.rate / correction1);
}

void move_average(at::Tensor average, const at::Tensor& weights, double share) {
    if (is_float_on_cpu(average)) {
        move_towards(average.data_ptr<float>(), weights.data_ptr<float>(), static_cast<float>(share), average.numel());
    } else {
        average.lerp_(weights, share);
    }
}

}  // namespace softalign
