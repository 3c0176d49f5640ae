#include "model/attention/self_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "model/fixtures.h"
#include "model/stack_input.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

constexpr std::int64_t size = 6;

SelfAttentionConfig self_attention(std::int64_t heads, std::int64_t groups, bool causal) {
    SelfAttentionConfig config;
    config.layers = 1;
    config.heads = heads;
    config.groups = groups;
    config.causal = causal;
    return config;
}

Encoded encoded(const at::Tensor& x, const std::vector<std::int64_t>& lengths = {5, 2, 3}) {
    Encoded result;
    result.annotations = x;
    result.lengths = lengths;
    result.mask = token_mask(lengths, x.size(1), at::kCPU);
    return result;
}

TEST(SelfAttention, GradientsMatchFiniteDifferences) {
    for (const bool causal : {false, true}) {
        SelfAttentionLayer layer(self_attention(3, 1, causal), size);
        layer.to(at::kDouble);
        randomize(layer, 31);
        const at::Tensor mask = token_mask({5, 2, 3}, 5, at::kCPU);
        std::vector<at::Tensor> inputs = {differentiable({3, 5, size})};
        for (const at::Tensor& parameter : layer.parameters()) {
            inputs.push_back(parameter);
        }
        const at::Tensor weight = at::randn({3, 5, size}, at::kDouble) * mask.unsqueeze(2);
        const auto scalar = [&] { return (layer.forward(encoded(inputs[0]), plain_execution) * weight).sum(); };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-7) << causal;
    }
}

// A sentence in a batch is the sentence alone, and with a causal mask its start is what the start alone would be.
TEST(SelfAttention, LooksNeitherAtPaddingNorAheadWhereItMayNot) {
    const at::NoGradGuard no_grad;
    for (const bool causal : {false, true}) {
        SelfAttentionLayer layer(self_attention(2, 0, causal), size);
        layer.to(at::kDouble);
        randomize(layer, 32);
        const at::Tensor x = at::randn({3, 5, size}, at::kDouble);
        const at::Tensor whole = layer.forward(encoded(x), plain_execution);
        const auto alone = [&](std::int64_t row, std::int64_t length) {
            return layer.forward(encoded(x.narrow(0, row, 1).narrow(1, 0, length), {length}), plain_execution)[0];
        };
        EXPECT_LE(largest_difference(whole[1].narrow(0, 0, 2), alone(1, 2)), 1e-14);
        EXPECT_LE(largest_difference(whole[2].narrow(0, 0, 3), alone(2, 3)), 1e-14);
        const double difference = largest_difference(whole[0].narrow(0, 0, 3), alone(0, 3));
        if (causal) {
            EXPECT_LE(difference, 1e-14);
        } else {
            EXPECT_GT(difference, 1e-3);
        }
    }
}

TEST(SelfAttention, SinusoidsAreThoseOfThePaper) {
    const at::Tensor table = sinusoids(4, 5, at::kDouble);
    ASSERT_EQ(table.sizes(), (std::vector<std::int64_t>{4, 5}));
    for (std::int64_t p = 0; p < 4; ++p) {
        for (std::int64_t k = 0; k < 5; ++k) {
            const double angle = static_cast<double>(p) / std::pow(10000.0, static_cast<double>(k - k % 2) / 5.0);
            EXPECT_NEAR(table[p][k].item<double>(), k % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-15);
        }
    }
}

}  // namespace
}  // namespace softalign
