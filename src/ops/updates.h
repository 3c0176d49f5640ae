#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace softalign {

// How many elements of a flat vector like this one a thread should update at a time: on the CPU, so few that the
// vectors of an update stay in a core's cache; elsewhere all of them.
std::int64_t elements_at_a_time(const at::Tensor& flat);

// into += from, and from = 0, for elements [begin, begin + count) of flat vectors. Allocates nothing for float32 on the
// CPU.
void add_and_clear(const at::Tensor& into, const at::Tensor& from, std::int64_t begin, std::int64_t count);

struct AdamSettings {
    double rate = 0.0;
    double beta1 = 0.0;
    double beta2 = 0.0;
    double epsilon = 0.0;
    double l2 = 0.0;            // l2 * w is added to the gradient
    double weight_decay = 0.0;  // w -= rate * weight_decay * w comes first
    std::int64_t t = 1;         // number of the update
};

// One update of weights w by Adam (Kingma and Ba 2015) or AdamW (Loshchilov and Hutter 2019) from the gradient g, which
// is used up, and its moments m and v: vectors of one size. One pass in float32 on the CPU.
void update_adam(const AdamSettings& settings, at::Tensor w, at::Tensor g, at::Tensor m, at::Tensor v);

// average += share * (weights - average).
void move_average(at::Tensor average, const at::Tensor& weights, double share);

}  // namespace softalign
