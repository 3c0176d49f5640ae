#include "ops/execution.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "ops/differences.h"

namespace softalign {
namespace {

TEST(Noise, CpuLoopIsTheTensorFormBitForBit) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        for (const double p : {0.01, 0.1, 0.5, 0.9}) {
            for (std::uint64_t key = 0; key < 5; ++key) {
                Noise noise(key);
                for (std::uint64_t call = 0; call < 3; ++call) {
                    const at::Tensor mask = noise.mask({7, 3, 41}, p, type);
                    ASSERT_EQ(mask.scalar_type(), type);
                    ASSERT_TRUE(mask.equal(hashed_mask({7, 3, 41}, p, mix_key({key, call}), type)))
                        << p << " " << key << " " << call;
                }
            }
        }
    }
}

TEST(Noise, DropsTheFractionAskedForAndKeepsTheMean) {
    constexpr double count = 1000.0 * 200.0;
    for (const double p : {0.05, 0.2, 0.5, 0.8}) {
        Noise noise(11);
        const at::Tensor mask = noise.mask({1000, 200}, p, at::kDouble);
        const double dropped = mask.eq(0.0).sum().item<double>() / count;
        const double deviation = std::sqrt(p * (1.0 - p) / count);
        EXPECT_NEAR(dropped, p, 4.0 * deviation);
        EXPECT_NEAR(mask.mean().item<double>(), 1.0, 4.0 * deviation / (1.0 - p));
        EXPECT_TRUE(mask.masked_select(mask.ne(0.0)).eq(1.0 / (1.0 - p)).all().item<bool>());
        // No row or column is favoured: five deviations over 1200 means.
        const at::Tensor zeros = mask.eq(0.0).to(at::kDouble);
        EXPECT_LE((zeros.mean(1) - p).abs().max().item<double>(), 5.0 * std::sqrt(p * (1.0 - p) / 200.0));
        EXPECT_LE((zeros.mean(0) - p).abs().max().item<double>(), 5.0 * std::sqrt(p * (1.0 - p) / 1000.0));
    }
}

double agreement(const at::Tensor& a, const at::Tensor& b) {
    return a.eq(b).to(at::kDouble).mean().item<double>();
}

TEST(Noise, CallsAndKeysAreIndependent) {
    Noise noise(12);
    const at::Tensor first = noise.mask({400, 100}, 0.5, at::kFloat);
    const at::Tensor second = noise.mask({400, 100}, 0.5, at::kFloat);
    const at::Tensor other = Noise(13).mask({400, 100}, 0.5, at::kFloat);
    EXPECT_NEAR(agreement(first, second), 0.5, 0.0125);  // five deviations
    EXPECT_NEAR(agreement(first, other), 0.5, 0.0125);
    // Neighbours in a row and rows of one mask do not repeat each other.
    EXPECT_NEAR(agreement(first.narrow(1, 0, 99), first.narrow(1, 1, 99)), 0.5, 0.0125);
    EXPECT_NEAR(agreement(first.narrow(0, 0, 399), first.narrow(0, 1, 399)), 0.5, 0.0125);
}

TEST(Noise, TheSameKeyDrawsTheSameMasks) {
    Noise one(14);
    Noise two(14);
    for (int call = 0; call < 4; ++call) {
        EXPECT_TRUE(one.mask({5, 6}, 0.3, at::kFloat).equal(two.mask({5, 6}, 0.3, at::kFloat)));
    }
}

TEST(Noise, DropoutMultipliesByAFreshMask) {
    const at::Tensor x = differentiable({20, 30});
    Noise noise(15);
    const at::Tensor y = dropout(x, 0.25, &noise);
    const at::Tensor mask = Noise(15).mask({20, 30}, 0.25, at::kDouble);
    EXPECT_TRUE(y.equal(x * mask));
    EXPECT_FALSE(dropout(x, 0.25, &noise).equal(y));
    y.sum().backward();
    EXPECT_TRUE(x.grad().equal(mask));
}

TEST(Noise, WithoutNoiseDropoutIsTheIdentity) {
    const at::Tensor x = at::randn({4, 5});
    Noise noise(16);
    EXPECT_TRUE(dropout(x, 0.5, nullptr).is_same(x));
    EXPECT_TRUE(dropout(x, 0.0, &noise).is_same(x));
}

}  // namespace
}  // namespace softalign
