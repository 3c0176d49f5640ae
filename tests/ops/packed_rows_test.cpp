#include "ops/packed_rows.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ops/differences.h"

namespace softalign {
namespace {

TEST(PackedRows, GoStepByStepTheLongestSentenceFirst) {
    const PackedRows rows = pack_rows({2, 3, 1, 3}, 4, at::kCPU);
    EXPECT_EQ(rows.order, (std::vector<std::int64_t>{1, 3, 0, 2}));
    EXPECT_EQ(rows.lengths, (std::vector<std::int64_t>{3, 3, 2, 1}));
    EXPECT_EQ(rows.counts, (std::vector<std::int64_t>{4, 3, 2}));
    EXPECT_EQ(rows.offsets, (std::vector<std::int64_t>{0, 4, 7}));
    EXPECT_EQ(rows.total, 9);
    EXPECT_TRUE(rows.places.equal(at::tensor({4, 12, 0, 8, 5, 13, 1, 6, 14}, at::kLong)));
    EXPECT_TRUE(rows.rows_of_sentences().equal(at::tensor({2, 0, 3, 1}, at::kLong)));
}

TEST(PackedRows, BackwardsTheEndStaysLast) {
    const PackedRows rows = pack_rows({3, 1}, 3, at::kCPU, Reading::backwards);
    EXPECT_TRUE(rows.places.equal(at::tensor({1, 3, 0, 2}, at::kLong)));
}

TEST(PackedRows, UnpackingIsPackingBackWithZerosAtPadding) {
    at::manual_seed(5);
    const at::Tensor mask = token_mask({2, 4, 1}, 5, at::kCPU);
    const PackedRows rows = pack_rows({2, 4, 1}, 5, at::kCPU);
    const at::Tensor x = at::randn({3, 5, 2}, at::kDouble);
    EXPECT_TRUE(unpack(pack(x, rows), rows).equal(x * mask.unsqueeze(2)));
}

TEST(PackedRows, GradientsMatchFiniteDifferences) {
    at::manual_seed(6);
    const PackedRows rows = pack_rows({2, 3}, 4, at::kCPU);
    const at::Tensor packed = differentiable({5, 2});
    const at::Tensor padded = differentiable({2, 4, 2});
    const at::Tensor weight = at::randn({2, 4, 2}, at::kDouble);
    EXPECT_LE(gradient_error([&] { return (unpack(packed, rows) * weight).pow(2).sum(); }, {packed}), 1e-8);
    EXPECT_LE(gradient_error([&] { return pack(padded * weight, rows).pow(2).sum(); }, {padded}), 1e-8);
}

TEST(SentenceRows, GoSentenceAfterSentence) {
    const SentenceRows rows = sentence_rows({2, 3, 1}, 4, at::kCPU);
    EXPECT_EQ(rows.begins, (std::vector<std::int64_t>{0, 2, 5}));
    EXPECT_EQ(rows.total, 6);
    EXPECT_TRUE(rows.places.equal(at::tensor({0, 1, 4, 5, 6, 8}, at::kLong)));
    EXPECT_TRUE(rows.positions.equal(at::tensor({0, 1, 0, 1, 2, 0}, at::kLong)));
}

TEST(SentenceRows, UnpackingIsPackingBackWithZerosAtPadding) {
    at::manual_seed(5);
    const at::Tensor mask = token_mask({2, 4, 1}, 5, at::kCPU);
    const SentenceRows rows = sentence_rows({2, 4, 1}, 5, at::kCPU);
    const at::Tensor x = at::randn({3, 5, 2}, at::kDouble);
    EXPECT_TRUE(unpack(pack(x, rows), rows).equal(x * mask.unsqueeze(2)));
}

TEST(SentenceRows, HoldTheRowsOfStepsInAnotherOrder) {
    at::manual_seed(7);
    const std::vector<std::int64_t> lengths{2, 3, 1, 3};
    const PackedRows steps = pack_rows(lengths, 4, at::kCPU);
    const SentenceRows sentences = sentence_rows(lengths, 4, at::kCPU);
    const at::Tensor x = at::randn({4, 4, 2}, at::kDouble);
    EXPECT_TRUE(by_sentences(pack(x, steps), steps, sentences).equal(pack(x, sentences)));
    EXPECT_TRUE(by_steps(pack(x, sentences), sentences, steps).equal(pack(x, steps)));
    const at::Tensor packed = differentiable({9, 2});
    const at::Tensor weight = at::randn({9, 2}, at::kDouble);
    const auto there = [&] { return (by_sentences(packed, steps, sentences) * weight).pow(2).sum(); };
    const auto back = [&] { return (by_steps(packed, sentences, steps) * weight).pow(2).sum(); };
    EXPECT_LE(gradient_error(there, {packed}), 1e-8);
    EXPECT_LE(gradient_error(back, {packed}), 1e-8);
}

}  // namespace
}  // namespace softalign
