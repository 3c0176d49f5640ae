#include "ops/repeated_weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdint>
#include <vector>

#include "ops/differences.h"
#include "ops/execution.h"
#include "ops/packed_weights.h"
#include "ops/plain_execution.h"
#include "ops/recurrent.h"

namespace softalign {
namespace {

// A loop that uses two weights in every step, one of them twice.
struct Loop {
    at::Tensor start;
    at::Tensor weight;
    at::Tensor other;
    at::Tensor bias;

    explicit Loop(at::ScalarType number) {
        at::manual_seed(31);
        const auto draw = [&](at::IntArrayRef sizes) { return at::randn(sizes, number).requires_grad_(true); };
        start = draw({2, 5});
        weight = draw({5, 5});
        other = draw({5, 5});
        bias = draw({5});
    }
    std::vector<at::Tensor> inputs() const { return {start, weight, other, bias}; }

    at::Tensor run(const Execution& execution) const {
        at::Tensor state = start;
        for (std::int64_t step = 0; step < 4; ++step) {
            const at::Tensor half = affine(state, weight, bias, execution).tanh();
            state = affine(affine(half, weight, execution).tanh(), other, bias, execution).tanh() + half;
        }
        return state.pow(2).sum();
    }
};

at::Tensor run_repeated(const Loop& loop, PackedWeights* packed) {
    RepeatedWeights repeated;
    Execution execution(packed, nullptr);
    execution.repeated = &repeated;
    return loop.run(execution);
}

TEST(RepeatedWeights, GradientsAreThoseOfTheSteps) {
    const Loop loop(at::kDouble);
    const at::Tensor plain = loop.run(plain_execution);
    const auto expected = torch::autograd::grad({plain}, loop.inputs());
    const at::Tensor gathered = run_repeated(loop, nullptr);
    EXPECT_TRUE(gathered.equal(plain));
    EXPECT_LE(largest_difference(torch::autograd::grad({gathered}, loop.inputs()), expected), 1e-13);
    EXPECT_LE(gradient_error([&] { return run_repeated(loop, nullptr); }, loop.inputs()), 1e-7);
}

TEST(RepeatedWeights, AddToGradientsThatAreThere) {
    const Loop loop(at::kDouble);
    run_repeated(loop, nullptr).backward();
    const at::Tensor once = loop.weight.grad().clone();
    const void* place = loop.weight.grad().data_ptr();
    run_repeated(loop, nullptr).backward();
    EXPECT_EQ(loop.weight.grad().data_ptr(), place);
    EXPECT_LE(largest_difference(loop.weight.grad(), 2.0 * once), 1e-12);
}

// The copies are those of both passes of both weights.
TEST(RepeatedWeights, StepsUsePackedWeights) {
    const Loop loop(at::kFloat);
    PackedWeights packed;
    const at::Tensor plain = loop.run(plain_execution);
    const at::Tensor result = run_repeated(loop, &packed);
    EXPECT_EQ(packed.count(), 2);
    const auto gradients = torch::autograd::grad({result}, loop.inputs());
    EXPECT_EQ(packed.count(), 4);
    EXPECT_LE(largest_difference(result, plain), 1e-4);
    EXPECT_LE(largest_difference(gradients, torch::autograd::grad({plain}, loop.inputs())), 1e-3);
}

TEST(RepeatedWeights, StandForAWeightOnlyWhereAGradientIsWanted) {
    const at::Tensor weight = differentiable({2, 3});
    RepeatedWeights repeated;
    const at::Tensor stand_in = repeated.of(weight);
    EXPECT_TRUE(is_repeated(stand_in));
    EXPECT_EQ(stand_in.data_ptr(), weight.data_ptr());
    EXPECT_TRUE(repeated.of(weight).is_same(stand_in));
    EXPECT_TRUE(repeated.of(stand_in).is_same(stand_in));
    EXPECT_FALSE(is_repeated(weight));
    const at::Tensor constant = weight.detach();
    EXPECT_TRUE(repeated.of(constant).is_same(constant));
    const at::NoGradGuard no_grad;
    EXPECT_TRUE(repeated.of(weight).is_same(weight));
}

TEST(RepeatedWeights, ServeEveryUnit) {
    for (const UnitType type : {UnitType::gru, UnitType::gru_cho, UnitType::lstm}) {
        at::manual_seed(32);
        const std::int64_t gates = type == UnitType::lstm ? 4 : 3;
        const at::Tensor projected = differentiable({2, gates * 3});
        const UnitWeights weights{differentiable({gates * 3, 3}),
                                  type == UnitType::gru_cho ? at::Tensor() : differentiable({gates * 3}),
                                  at::Tensor(),
                                  {}};
        const UnitState start{differentiable({2, 3}), type == UnitType::lstm ? differentiable({2, 3}) : at::Tensor()};
        const auto gradients = [&](RepeatedWeights* repeated) {
            Execution execution = plain_execution;
            execution.repeated = repeated;
            UnitState state = start;
            for (std::int64_t step = 0; step < 3; ++step) {
                state = unit_step(type, projected, weights, state, execution);
            }
            return torch::autograd::grad({state.hidden.pow(2).sum()}, {projected, weights.weight, start.hidden});
        };
        RepeatedWeights repeated;
        EXPECT_LE(largest_difference(gradients(&repeated), gradients(nullptr)), 1e-13);
    }
}

}  // namespace
}  // namespace softalign
