#include "ops/rounded_rows.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/precision.h"
#include "ops/affine.h"
#include "ops/packed_weights.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

at::Tensor numbers(at::IntArrayRef sizes) {
    return at::sin(at::arange(sizes[0] * sizes[1], at::kFloat).mul_(0.7)).view(sizes);
}

TEST(RoundedRows, AreWithinHalfAStepOfEachRow) {
    const at::Tensor matrix = numbers({7, 33}) * at::arange(1, 8, at::kFloat).unsqueeze(1);
    const RoundedRows rows = round_rows(matrix);
    EXPECT_EQ(rows.numbers.abs().max().item<std::int64_t>(), 127);
    const at::Tensor steps = (restored(rows) - matrix).abs() / rows.scales.unsqueeze(1);
    EXPECT_LE(steps.max().item<float>(), 0.5001F);
    EXPECT_GE(steps.max().item<float>(), 0.3F);
}

TEST(RoundedRows, RoundedAgainStayWhatTheyAre) {
    const at::Tensor matrix = numbers({5, 20});
    matrix[3].zero_();
    const RoundedRows rows = round_rows(matrix);
    const RoundedRows again = round_rows(restored(rows));
    EXPECT_TRUE(again.numbers.equal(rows.numbers));
    EXPECT_TRUE(again.scales.equal(rows.scales));
    EXPECT_TRUE(restored(rows)[3].equal(matrix[3]));
}

TEST(RoundedRows, GiveProductsInInt8TheBitsOfTheMatrixThatWasRounded) {
    const at::NoGradGuard no_gradients;
    const at::Tensor matrix = numbers({50, 37});
    const at::Tensor rounded = restored(round_rows(matrix));
    ASSERT_FALSE(rounded.equal(matrix));
    const at::Tensor x = numbers({3, 37}) + 0.1;
    PackedWeights packed(Precision::int8);
    const Execution execution(&packed, nullptr);
    EXPECT_TRUE(affine(x, rounded, execution).equal(affine(x, matrix, execution)));
}

TEST(RoundedRows, LookUpsRoundInInt8Alone) {
    const at::Tensor table = numbers({6, 9});
    const at::Tensor ids = at::tensor({4, 0, 4, 5}, at::kLong).view({2, 2});
    for (const Precision precision : {Precision::float32, Precision::bfloat16, Precision::int8}) {
        PackedWeights packed(precision);
        const at::Tensor expected = precision == Precision::int8 ? restored(round_rows(table)) : table;
        EXPECT_TRUE(look_up(table, ids, {&packed, nullptr}).equal(at::embedding(expected, ids)));
    }
    EXPECT_TRUE(look_up(table, ids, plain_execution).equal(at::embedding(table, ids)));
}

}  // namespace
}  // namespace softalign
