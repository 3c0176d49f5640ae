#pragma once

#include <cstdint>

namespace softalign {

// The scalars of an Adam update (Kingma and Ba 2015, algorithm 1). 1 - beta1 and 1 - beta2 are separate members because
// they must be computed in double: float32 has no number between 1 - 2^-24 and 1.
struct AdamStep {
    float rate;    // the learning rate over 1 - beta1^t
    float share1;  // 1 - beta1
    float beta2;
    float share2;       // 1 - beta2
    float correction2;  // 1 / sqrt(1 - beta2^t)
    float epsilon;
    float l2;     // times the weight, added to the gradient
    float decay;  // what the weight is multiplied by before the step: 1 without weight decay
};

// One pass over `count` elements: with g = gradient + l2 weight,
//   m += share1 (g - m); v = beta2 v + share2 g^2;
//   weight = decay weight - rate m / (sqrt(v) correction2 + epsilon).
void adam_update(const AdamStep& step, const float* gradient, float* weight, float* m, float* v, std::int64_t count);

// average += share (x - average), element by element.
void move_towards(float* average, const float* x, float share, std::int64_t count);

}  // namespace softalign
