#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/grid.h"
#include "devices/devices.h"
#include "ops/affine.h"
#include "ops/attention.h"
#include "ops/differences.h"
#include "ops/execution.h"
#include "ops/grid_windows.h"
#include "ops/heads_attention.h"
#include "ops/loss.h"
#include "ops/packed_rows.h"
#include "ops/plain_execution.h"
#include "ops/recurrent.h"
#include "ops/top_k.h"
#include "ops/updates.h"
#include "train/optimizer.h"

namespace softalign {
namespace {

using Tensors = std::vector<at::Tensor>;
using Operation = std::function<at::Tensor(const Tensors&)>;

at::Tensor random_leaf(at::IntArrayRef sizes) {
    return differentiable(sizes);
}

// The result and the gradients of the inputs that want one.
Tensors results(const Operation& operation, const Tensors& inputs) {
    Tensors found{operation(inputs)};
    const at::Tensor weight =
        at::arange(found[0].numel(), at::kDouble).sin().view(found[0].sizes()).to(found[0].device());
    if (found[0].requires_grad()) {
        (found[0] * weight).sum().backward();
    }
    for (const at::Tensor& input : inputs) {
        if (input.requires_grad()) {
            found.push_back(input.grad());
        }
    }
    return found;
}

class DeviceOperations : public testing::TestWithParam<at::Device> {
protected:
    void SetUp() override { at::manual_seed(61); }

    static Tensors on_it(const Tensors& inputs) {
        Tensors moved;
        for (const at::Tensor& input : inputs) {
            moved.push_back(on_device(input, GetParam()));
        }
        return moved;
    }

    // Values and gradients are those of the CPU, and the host waits for nothing.
    static void expect_as_on_cpu(const Operation& operation, const Tensors& inputs) {
        const Tensors moved = on_it(inputs);
        const Tensors expected = results(operation, inputs);
        const Traffic before = traffic();
        const at::Tensor forward = operation(moved);
        const Traffic between = traffic_since(before);
        EXPECT_EQ(between.reads + between.to_host + between.waits, 0);
        const Tensors found = results(operation, moved);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(found[i].device(), GetParam());
            EXPECT_LE(largest_difference(found[i].cpu().to(at::kDouble), expected[i].to(at::kDouble)), 1e-11) << i;
        }
    }
};

TEST_P(DeviceOperations, ProductsAndLookUps) {
    const auto affine_of = [](const Tensors& x) { return affine(x[0], x[1], x[2], plain_execution); };
    expect_as_on_cpu(affine_of, {random_leaf({3, 4, 5}), random_leaf({6, 5}), random_leaf({6})});
    const auto looked_up = [](const Tensors& x) { return look_up(x[0], x[1], plain_execution); };
    expect_as_on_cpu(looked_up, {random_leaf({7, 3}), at::tensor({4, 0, 4, 1, 6, 4}, at::kLong).view({2, 3})});
}

// Gradients that are there are added to.
TEST_P(DeviceOperations, ProductsAndLookUpsAddToGradients) {
    const at::Tensor weight = on_device(random_leaf({6, 5}), GetParam());
    const at::Tensor table = on_device(random_leaf({7, 5}), GetParam());
    const at::Tensor flat = at::ones({65}, weight.options().requires_grad(false));
    weight.mutable_grad() = flat.narrow(0, 0, 30).view({6, 5});
    table.mutable_grad() = flat.narrow(0, 30, 35).view({7, 5});
    const at::Tensor ids = at::tensor({4, 0, 4}, at::kLong).to(GetParam());
    affine(look_up(table, ids, plain_execution), weight, plain_execution).sum().backward();
    const at::Tensor w = weight.detach().cpu();
    const at::Tensor t = table.detach().cpu();
    const at::Tensor of_weight = (t[4] * 2 + t[0]).expand({6, 5}) + 1.0;
    at::Tensor of_table = at::ones({7, 5}, at::kDouble);
    of_table[4] += w.sum(0) * 2;
    of_table[0] += w.sum(0);
    EXPECT_LE(largest_difference(flat.cpu(), at::cat({of_weight.flatten(), of_table.flatten()})), 1e-12);
}

TEST_P(DeviceOperations, RowsInEveryOrder) {
    const std::vector<std::int64_t> lengths = {3, 5, 1, 2};
    for (const Reading reading : {Reading::forwards, Reading::backwards}) {
        const auto packed = [&](const Tensors& x) {
            const PackedRows rows = pack_rows(lengths, 6, x[0].device(), reading);
            return unpack(pack(x[0], rows).pow(2), rows);
        };
        expect_as_on_cpu(packed, {random_leaf({4, 6, 3})});
    }
    const auto by_sentence = [&](const Tensors& x) {
        const PackedRows steps = pack_rows(lengths, 6, x[0].device());
        const SentenceRows sentences = sentence_rows(lengths, 6, x[0].device());
        const at::Tensor there = by_sentences(pack(x[0], steps), steps, sentences);
        return unpack(there, sentences) + unpack(by_steps(there, sentences, steps).pow(3), steps);
    };
    expect_as_on_cpu(by_sentence, {random_leaf({4, 6, 3})});
    for (const at::Device& device : {at::Device(at::kCPU), GetParam()}) {
        EXPECT_EQ(token_mask(lengths, 6, device).device(), device);
    }
    EXPECT_TRUE(token_mask(lengths, 6, GetParam()).cpu().equal(token_mask(lengths, 6, at::kCPU)));
    EXPECT_TRUE(reversed_order(lengths, 6, GetParam()).cpu().equal(reversed_order(lengths, 6, at::kCPU)));
}

TEST_P(DeviceOperations, Dropout) {
    const auto dropped = [](const Tensors& x) {
        Noise noise(9);
        return dropout(drop_rows(x[0], 0.4, &noise), 0.3, &noise);
    };
    expect_as_on_cpu(dropped, {random_leaf({40, 7})});
}

TEST_P(DeviceOperations, RecurrentGates) {
    expect_as_on_cpu([](const Tensors& x) { return gru_gates(x[0], x[1], x[2]); },
                     {random_leaf({3, 12}), random_leaf({3, 12}), random_leaf({3, 4})});
}

TEST_P(DeviceOperations, RecurrentSteps) {
    expect_as_on_cpu(
        [](const Tensors& x) {
            const UnitState next =
                unit_step(UnitType::lstm, x[0], {x[1], x[2], x[3], {}}, {x[4], x[5]}, plain_execution);
            return at::cat({next.hidden, next.cell}, 1);
        },
        {random_leaf({3, 16}), random_leaf({16, 4}), random_leaf({16}), at::randn({3, 4}, at::kDouble),
         random_leaf({3, 4}), random_leaf({3, 4})});
    expect_as_on_cpu(
        [](const Tensors& x) {
            return unit_step(UnitType::gru_cho, x[0], {x[1], at::Tensor(), at::Tensor(), {}}, {x[2], at::Tensor()},
                             plain_execution)
                .hidden;
        },
        {random_leaf({3, 12}), random_leaf({12, 4}), random_leaf({3, 4})});
}

TEST_P(DeviceOperations, AdditiveAttention) {
    const std::vector<std::int64_t> lengths = {4, 1, 6};
    const auto attended = [&](const Tensors& x) {
        const at::Tensor mask = token_mask(lengths, 6, x[0].device());
        const AttentionResult result = tanh_attention(x[0], x[1], TanhMemory{x[2], x[3], mask, lengths, at::Tensor()});
        return at::cat({result.context, result.weights}, 2);
    };
    expect_as_on_cpu(attended,
                     {random_leaf({3, 2, 5}), random_leaf({1, 5}), random_leaf({3, 6, 5}), random_leaf({3, 6, 4})});
    const at::NoGradGuard no_gradients;
    expect_as_on_cpu(attended, {at::randn({3, 2, 5}, at::kDouble), at::randn({1, 5}, at::kDouble),
                                at::randn({3, 6, 5}, at::kDouble), at::randn({3, 6, 4}, at::kDouble)});
}

TEST_P(DeviceOperations, AttentionWithHeads) {
    const Sequences sequences{{0, 1, 6}, {1, 5, 2}, {0, 1, 6}, {1, 5, 3}};
    for (const std::int64_t groups : {1, 2, 4}) {
        for (const bool causal : {false, true}) {
            const HeadsForm form{4, groups, causal, 0.2};
            const Tensors inputs{random_leaf({8, 12}), random_leaf({9, 3 * groups}), random_leaf({9, 3 * groups})};
            const auto attended = [&](const Tensors& x) {
                Noise noise(3);
                return heads_attention(x[0], x[1], x[2], sequences, form, &noise);
            };
            expect_as_on_cpu(attended, inputs);
            const auto weights = [&](const Tensors& x) { return heads_weights(x[0], x[1], sequences, form, 7); };
            expect_as_on_cpu(weights, {inputs[0].detach(), inputs[1].detach()});
        }
    }
}

TEST_P(DeviceOperations, WindowsOverGrids) {
    const std::vector<Grid> grids = {{5, 4}, {1, 1}, {2, 7}};
    const auto windows = [&](const Tensors& x) { return grid_windows(x[0], grids, {3, 2, 1}); };
    expect_as_on_cpu(windows, {random_leaf({35, 2})});
}

TEST_P(DeviceOperations, Losses) {
    const at::Tensor targets = at::tensor({0, 0, 6, 6, 3, 3}, at::kLong);
    const at::Tensor spread = at::tensor({0.0, 0.5, 0.0, 0.25, 0.125, 0.125, 0.0}, at::kDouble);
    const Tensors inputs{random_leaf({6, 4}), random_leaf({7, 4}), random_leaf({7}), targets, spread};
    const auto both = [](const CrossEntropy& sums) { return at::stack({sums.objective, sums.negative_log_prob}); };
    const auto plain = [&](const Tensors& x) {
        return both(output_loss(x[0], {x[1], x[2]}, x[3], Smoothing(0.1, x[4]), plain_execution));
    };
    expect_as_on_cpu(plain, inputs);
    const auto twice = [&](const Tensors& x) {
        return both(r_drop_loss(x[0], {x[1], x[2]}, x[3], {Smoothing(0.1, x[4]), 5.0}, plain_execution));
    };
    expect_as_on_cpu(twice, inputs);
    const Tensors two{random_leaf({6, 6}), random_leaf({7, 4}), random_leaf({7}), targets, random_leaf({7, 2})};
    const auto with_second = [&](const Tensors& x) {
        return both(output_loss(x[0], {x[1], x[2], x[4]}, x[3], 0.1, plain_execution));
    };
    expect_as_on_cpu(with_second, two);
}

TEST_P(DeviceOperations, TheBestOfARowInOneCopy) {
    const at::Tensor scores = at::randn({5, 30}, at::kFloat);
    TopK expected;
    top_k(log_softmax(scores.clone()), 4, 3, expected);
    const at::Tensor moved = scores.to(GetParam());
    const Traffic before = traffic();
    TopK found;
    top_k(log_softmax(moved), 4, 3, found);
    const Traffic between = traffic_since(before);
    if (GetParam() == counting_device()) {
        EXPECT_EQ(between.to_host, 1);
        EXPECT_EQ(between.reads, 0);
    }
    EXPECT_EQ(found.tokens, expected.tokens);
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        EXPECT_NEAR(found.values[i], expected.values[i], 1e-5);
    }
}

TEST_P(DeviceOperations, EveryOptimiser) {
    std::vector<OptimizerConfig> configs(5);
    configs[0].type = OptimizerType::adam;
    configs[1].type = OptimizerType::adamw;
    configs[1].weight_decay = 0.1;
    configs[2].type = OptimizerType::adadelta;
    configs[3].type = OptimizerType::sgd;
    configs[4].type = OptimizerType::sgd;
    configs[4].momentum = 0.9;
    for (OptimizerConfig& config : configs) {
        config.l2 = 0.01;
        const at::Tensor weights = at::randn({37}, at::kDouble);
        const at::Tensor moved = weights.to(GetParam());
        Optimizer here(config, weights);
        Optimizer there(config, moved);
        const at::Tensor average = weights.clone();
        const at::Tensor moved_average = average.to(GetParam());
        for (std::int64_t t = 1; t <= 3; ++t) {
            const at::Tensor gradient = at::randn({37}, at::kDouble);
            const at::Tensor moved_gradient = gradient.to(GetParam());
            const Traffic before = traffic();
            there.update(moved, moved_gradient, 0, 37, 0.1, t);
            move_average(moved_average, moved, 0.2);
            const Traffic between = traffic_since(before);
            EXPECT_EQ(between.reads + between.to_host + between.waits, 0);
            here.update(weights, gradient, 0, 37, 0.1, t);
            move_average(average, weights, 0.2);
        }
        EXPECT_LE(largest_difference(moved.cpu(), weights), 1e-12) << static_cast<int>(config.type);
        EXPECT_LE(largest_difference(moved_average.cpu(), average), 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceOperations, testing::ValuesIn(devices_beside_cpu()), device_name);

// The counters that the tests of this folder go by.
TEST(CountingDevice, CountsCopiesAndReads) {
    SOFTALIGN_SKIP_WITHOUT_COUNTING_DEVICE();
    const at::Tensor here = at::randn({3, 4});
    Traffic before = traffic();
    const at::Tensor there = here.to(counting_device());
    Traffic moved = traffic_since(before);
    EXPECT_EQ(moved.to_device, 1);
    EXPECT_EQ(moved.waits, 1);
    EXPECT_EQ(moved.to_device_bytes, 48);
    before = traffic();
    const at::Tensor sum = (there * 2.0).sum();
    moved = traffic_since(before);
    EXPECT_EQ(moved.to_device + moved.to_host + moved.reads, 0);
    EXPECT_NEAR(sum.item<double>(), (here * 2.0).sum().item<double>(), 1e-5);
    EXPECT_EQ(traffic_since(before).reads, 1);
    EXPECT_TRUE(there.cpu().equal(here));
    EXPECT_EQ(traffic_since(before).to_host, 1);
    EXPECT_EQ(there.gt(0.0).nonzero().size(1), 2);
    EXPECT_EQ(traffic_since(before).reads, 2);
    here.to(here.options().device(counting_device()), /*non_blocking=*/true);
    EXPECT_EQ(traffic_since(before).waits, 0);
}

TEST(CountingDeviceDeathTest, ItsMemoryIsNotTheHosts) {
    const at::Tensor there = at::ones({4}, at::TensorOptions(at::kFloat).device(counting_device()));
    EXPECT_DEATH({ static_cast<volatile float*>(there.data_ptr())[0] = 2.0F; }, "");
}

}  // namespace
}  // namespace softalign
