#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/differences.h"
#include "ops/execution.h"
#include "ops/library_layer.h"
#include "ops/packed_weights.h"
#include "ops/plain_execution.h"
#include "ops/plain_forms.h"
#include "ops/recurrent.h"

namespace softalign {
namespace {

constexpr UnitType units[] = {UnitType::gru, UnitType::gru_cho, UnitType::lstm};

std::string name_of(UnitType type) {
    return type == UnitType::gru ? "gru" : (type == UnitType::lstm ? "lstm" : "gru_cho");
}

std::int64_t gates_of(UnitType type) {
    return type == UnitType::lstm ? 4 : 3;
}

// A unit with everything that it reads, all of which wants a gradient except the mask.
struct Sample {
    UnitType type;
    at::Tensor projected;
    UnitWeights weights;
    UnitState start;

    Sample(UnitType unit, std::int64_t steps, std::int64_t rows, std::int64_t width, bool masked, at::ScalarType number,
           bool has_norm = false)
        : type(unit) {
        at::manual_seed(7);
        const auto draw = [&](at::IntArrayRef sizes) { return at::randn(sizes, number).requires_grad_(true); };
        projected = draw({steps, gates_of(type) * width});
        weights.weight = draw({gates_of(type) * width, width});
        weights.bias = type == UnitType::gru_cho || has_norm ? at::Tensor() : draw({gates_of(type) * width});
        weights.norm =
            has_norm ? NormWeights{draw({gates_of(type) * width}), draw({gates_of(type) * width})} : NormWeights();
        weights.mask = masked ? at::randn({rows, width}, number) : at::Tensor();
        start.hidden = draw({rows, width});
        start.cell = type == UnitType::lstm ? draw({rows, width}) : at::Tensor();
    }

    // Of all, or from zeros.
    UnitSequence sequence(bool with_start = false) const {
        return {type, projected, weights, with_start ? start : UnitState()};
    }

    // Of a sequence, which starts from zeros, or of a step.
    std::vector<at::Tensor> inputs(bool with_start) const {
        std::vector<at::Tensor> all = {projected, weights.weight};
        for (const at::Tensor& x : {weights.bias, weights.norm.gain, weights.norm.shift,
                                    with_start ? start.hidden : at::Tensor(), with_start ? start.cell : at::Tensor()}) {
            if (x.defined()) {
                all.push_back(x);
            }
        }
        return all;
    }
};

// A sum that weighs every number of the results differently.
at::Tensor weighed(const std::vector<at::Tensor>& results) {
    at::manual_seed(8);
    at::Tensor sum = at::zeros({}, results.front().options().requires_grad(false));
    for (const at::Tensor& x : results) {
        if (x.defined()) {
            sum = sum + (x * at::randn_like(x)).sum();
        }
    }
    return sum;
}

std::vector<at::Tensor> parts(const SequenceStates& result) {
    return {result.states, result.last.hidden, result.last.cell};
}

std::vector<at::Tensor> parts(const UnitState& result) {
    return {result.hidden, result.cell};
}

// The results, and the gradients of their weighed sum.
std::vector<at::Tensor> with_gradients(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& inputs) {
    for (at::Tensor input : inputs) {
        input.mutable_grad() = at::Tensor();
    }
    weighed(results).backward();
    std::vector<at::Tensor> all;
    for (const at::Tensor& x : results) {
        if (x.defined()) {
            all.push_back(x);
        }
    }
    for (const at::Tensor& input : inputs) {
        all.push_back(input.grad());
    }
    return all;
}

void expect_sequence(const Sample& sample, const PackedRows& rows, Reading direction, double tolerance) {
    for (const bool with_start : {false, true}) {
        const auto fast =
            with_gradients(parts(unit_sequence(sample.sequence(with_start), rows, direction, plain_execution)),
                           sample.inputs(with_start));
        const auto plain = with_gradients(parts(unit_sequence_plain(sample.sequence(with_start), rows, direction)),
                                          sample.inputs(with_start));
        EXPECT_LE(largest_difference(fast, plain), tolerance) << name_of(sample.type) << " " << with_start;
    }
}

TEST(UnitSequence, IsTheStepsOneByOne) {
    const PackedRows rows = pack_rows({3, 5, 1, 5, 2}, 6, at::kCPU);
    for (const UnitType type : units) {
        for (const at::ScalarType number : {at::kDouble, at::kFloat}) {
            for (const Reading direction : {Reading::forwards, Reading::backwards}) {
                for (const bool masked : {false, true}) {
                    for (const std::int64_t width : {1, 7, 20}) {
                        expect_sequence(Sample(type, rows.total, rows.sentences(), width, masked, number), rows,
                                        direction, number == at::kDouble ? 1e-12 : 2e-4);
                    }
                }
            }
        }
    }
}

TEST(UnitSequence, NormalizesAsTheSteps) {
    const PackedRows rows = pack_rows({3, 5, 1, 5, 2}, 6, at::kCPU);
    for (const at::ScalarType number : {at::kDouble, at::kFloat}) {
        for (const std::int64_t width : {2, 7, 20}) {
            expect_sequence(Sample(UnitType::gru, rows.total, rows.sentences(), width, true, number, true), rows,
                            Reading::backwards, number == at::kDouble ? 1e-11 : 2e-3);
        }
    }
}

TEST(UnitSequence, TakesProjectionsThatAreNotContiguous) {
    const PackedRows rows = pack_rows({3, 1}, 3, at::kCPU);
    for (const UnitType type : units) {
        Sample sample(type, rows.total, rows.sentences(), 3, true, at::kDouble);
        sample.projected = at::randn({gates_of(type) * 3, rows.total}, at::kDouble).t().requires_grad_(true);
        expect_sequence(sample, rows, Reading::forwards, 1e-12);
    }
}

TEST(UnitSequence, GradientsMatchFiniteDifferences) {
    const PackedRows rows = pack_rows({2, 3}, 3, at::kCPU);
    for (const UnitType type : units) {
        for (const Reading direction : {Reading::forwards, Reading::backwards}) {
            const Sample sample(type, rows.total, rows.sentences(), 2, true, at::kDouble);
            const auto sum = [&] {
                return weighed(parts(unit_sequence(sample.sequence(true), rows, direction, plain_execution)));
            };
            EXPECT_LE(gradient_error(sum, sample.inputs(true)), 1e-7) << name_of(type);
        }
    }
    const Sample sample(UnitType::gru, rows.total, rows.sentences(), 2, true, at::kDouble, true);
    const auto sum = [&] {
        return weighed(parts(unit_sequence(sample.sequence(true), rows, Reading::forwards, plain_execution)));
    };
    EXPECT_LE(gradient_error(sum, sample.inputs(true)), 1e-6) << "with a norm";
}

// With W = 1 and b = 0, as projected inputs are given.
TEST(UnitSequence, IsLibTorchsLayer) {
    const PackedRows rows = pack_rows({3, 5, 1, 5, 2}, 6, at::kCPU);
    for (const UnitType type : {UnitType::gru, UnitType::lstm}) {
        const Sample sample(type, rows.total, rows.sentences(), 4, false, at::kDouble);
        const std::int64_t columns = sample.projected.size(1);
        const LibraryLayer layer{type == UnitType::lstm,
                                 {at::eye(columns, at::kDouble), sample.weights.weight,
                                  at::zeros({columns}, at::kDouble), sample.weights.bias},
                                 {}};
        const LibraryStates expected = run_library_layer(layer, sample.projected, rows);
        const SequenceStates found = unit_sequence(sample.sequence(), rows, Reading::forwards, plain_execution);
        EXPECT_LE(largest_difference(found.states, expected.states), 1e-13);
        EXPECT_LE(largest_difference(found.last.hidden, expected.hidden[0]), 1e-13);
        if (type == UnitType::lstm) {
            EXPECT_LE(largest_difference(found.last.cell, expected.cell[0]), 1e-13);
        }
    }
}

// A result of which nothing reads a part has no gradient there.
TEST(UnitSequence, PartsMayBeUnread) {
    const PackedRows rows = pack_rows({2, 3}, 3, at::kCPU);
    for (const UnitType type : units) {
        const Sample sample(type, rows.total, rows.sentences(), 3, true, at::kDouble);
        for (std::size_t unread = 0; unread < 3; ++unread) {
            const auto run = [&](const SequenceStates& result) {
                std::vector<at::Tensor> read = parts(result);
                read[unread] = at::Tensor();
                if (!read[0].defined()) {
                    std::swap(read[0], read[1]);
                }
                return with_gradients(read, sample.inputs(false));
            };
            const Reading direction = Reading::backwards;
            EXPECT_LE(largest_difference(run(unit_sequence(sample.sequence(), rows, direction, plain_execution)),
                                         run(unit_sequence_plain(sample.sequence(), rows, direction))),
                      1e-12);
        }
    }
}

// Gradients that are there are added to, and packed weights change no bit.
TEST(UnitSequence, AddsToGradientsAndUsesPackedWeights) {
    const PackedRows rows = pack_rows({3, 2}, 3, at::kCPU);
    for (const UnitType type : units) {
        Sample sample(type, rows.total, rows.sentences(), 20, true, at::kFloat, type == UnitType::gru);
        const auto run = [&](const Execution& execution) {
            return parts(unit_sequence(sample.sequence(), rows, Reading::forwards, execution));
        };
        const auto once = with_gradients(run(plain_execution), sample.inputs(false));
        const at::Tensor gradient = sample.weights.weight.grad().clone();
        PackedWeights packed;
        const auto results = run(Execution(&packed, nullptr));
        EXPECT_TRUE(results[0].equal(once[0]));
        weighed(results).backward();
        EXPECT_LE(largest_difference(sample.weights.weight.grad(), 2.0 * gradient), 1e-5);
    }
}

TEST(UnitSequence, RoundsToBfloat16) {
    const PackedRows rows = pack_rows({3, 2}, 3, at::kCPU);
    for (const UnitType type : units) {
        const Sample sample(type, rows.total, rows.sentences(), 20, true, at::kFloat);
        PackedWeights packed(Precision::bfloat16);
        const auto run = [&](const Execution& execution) {
            return with_gradients(parts(unit_sequence(sample.sequence(), rows, Reading::backwards, execution)),
                                  sample.inputs(false));
        };
        const auto exact = run(plain_execution);
        const auto rounded = run(Execution(&packed, nullptr));
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const double relative = ((exact[i] - rounded[i]).norm() / exact[i].norm()).item<double>();
            EXPECT_LE(relative, 0.03) << name_of(type) << " " << i;
            EXPECT_GT(relative, 0.0) << name_of(type) << " " << i;
        }
    }
}

TEST(UnitStep, FastFormIsThePlainForm) {
    for (const UnitType type : units) {
        for (const at::ScalarType number : {at::kDouble, at::kFloat}) {
            for (const bool masked : {false, true}) {
                for (const std::int64_t width : {1, 7, 20}) {
                    const Sample sample(type, 3, 3, width, masked, number);
                    const auto run = [&](auto step) {
                        const UnitState once =
                            step(type, sample.projected, sample.weights, sample.start, plain_execution);
                        const UnitState twice = step(type, sample.projected, sample.weights, once, plain_execution);
                        return with_gradients({once.hidden, twice.hidden, twice.cell}, sample.inputs(true));
                    };
                    EXPECT_LE(largest_difference(run(unit_step), run(unit_step_plain)),
                              number == at::kDouble ? 1e-12 : 2e-4)
                        << name_of(type) << " " << width;
                }
            }
        }
    }
}

TEST(UnitStep, GradientsMatchFiniteDifferences) {
    for (const UnitType type : units) {
        const Sample sample(type, 2, 2, 3, true, at::kDouble);
        for (const auto& step : {unit_step, unit_step_plain}) {
            const auto sum = [&] {
                return weighed(parts(step(type, sample.projected, sample.weights, sample.start, plain_execution)));
            };
            EXPECT_LE(gradient_error(sum, sample.inputs(true)), 1e-7) << name_of(type);
        }
    }
}

TEST(UnitStep, TakesViewsThatAreNotContiguous) {
    for (const UnitType type : units) {
        Sample sample(type, 4, 4, 3, false, at::kDouble);
        sample.projected = at::randn({1, gates_of(type) * 3}, at::kDouble).expand({4, -1});
        sample.start.hidden = at::randn({3, 4}, at::kDouble).t();
        sample.start.cell = at::randn({4, 6}, at::kDouble).slice(1, 0, 6, 2);
        EXPECT_LE(largest_difference(
                      unit_step(type, sample.projected, sample.weights, sample.start, plain_execution).hidden,
                      unit_step_plain(type, sample.projected, sample.weights, sample.start, plain_execution).hidden),
                  1e-13);
    }
}

}  // namespace
}  // namespace softalign
