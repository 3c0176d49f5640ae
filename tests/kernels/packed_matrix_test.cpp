#include "kernels/packed_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace softalign {
namespace {

std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> draw(-1.0F, 1.0F);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = draw(generator);
    }
    return values;
}

struct Case {
    std::int64_t rows;
    std::int64_t depth;
    std::int64_t columns;
};

// Sizes around the edges of the blocks: 8 rows, panels of 48 columns, 512 terms.
const std::vector<Case> cases = {{1, 1, 1},    {7, 3, 47},    {8, 16, 48},    {9, 17, 49}, {16, 512, 96},
                                 {3, 513, 50}, {25, 1031, 5}, {70, 100, 100}, {2, 0, 10},  {0, 5, 5}};

// A [rows,depth] with gaps between rows, B in either layout, C with gaps that must stay as they are.
class ProductTest : public testing::TestWithParam<Case> {
protected:
    static constexpr std::int64_t gap = 3;

    void SetUp() override {
        a_stride = n.depth + gap;
        c_stride = n.columns + gap;
        a = random_values(n.rows * a_stride, 1);
        b = random_values(n.depth * n.columns, 2);
        bias = random_values(n.columns, 3);
        c = random_values(n.rows * c_stride, 4);
    }

    double start_of(Start start, std::int64_t row, std::int64_t column) const {
        return start == Start::zero   ? 0.0
               : start == Start::bias ? bias[static_cast<std::size_t>(column)]
                                      : c[static_cast<std::size_t>(row * c_stride + column)];
    }

    // The largest error of a result: float32 sums of up to about a thousand terms.
    static constexpr double tolerance = 1e-4;

    // What a product makes of a factor.
    static double factor(float value, Precision precision) {
        return precision == Precision::float32 ? value : first_of(bfloat16_pair(value, 0.0F));
    }

    // b as [depth,columns] row by row, or column by column.
    float element(bool by_columns, std::int64_t k, std::int64_t column) const {
        return b[static_cast<std::size_t>(by_columns ? column * n.depth + k : k * n.columns + column)];
    }

    void expect_product(const std::vector<float>& result, Start start, bool by_columns, Precision precision) const {
        for (std::int64_t row = 0; row < n.rows; ++row) {
            for (std::int64_t column = 0; column < c_stride; ++column) {
                const auto at = static_cast<std::size_t>(row * c_stride + column);
                if (column >= n.columns) {
                    EXPECT_EQ(result[at], c[at]) << "a gap was written to";
                    continue;
                }
                double sum = start_of(start, row, column);
                for (std::int64_t k = 0; k < n.depth; ++k) {
                    sum += factor(a[static_cast<std::size_t>(row * a_stride + k)], precision) *
                           factor(element(by_columns, k, column), precision);
                }
                EXPECT_NEAR(result[at], sum, tolerance) << row << " " << column;
            }
        }
    }

    Case n = GetParam();
    std::int64_t a_stride = 0;
    std::int64_t c_stride = 0;
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> bias;
    std::vector<float> c;
};

TEST_P(ProductTest, IsTheSumOfProducts) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        for (const bool by_columns : {false, true}) {
            const std::int64_t row_stride = by_columns ? 1 : n.columns;
            const std::int64_t column_stride = by_columns ? n.depth : 1;
            PackedMatrix packed(n.depth, n.columns, precision);
            packed.pack(b.data(), row_stride, column_stride);
            const MatrixView view{b.data(), n.depth, n.columns, row_stride, column_stride, precision};
            for (const Start start : {Start::zero, Start::bias, Start::present}) {
                std::vector<float> result = c;
                multiply(a.data(), n.rows, a_stride, packed, result.data(), c_stride, start, bias.data());
                expect_product(result, start, by_columns, precision);
                std::vector<float> at_once = c;
                multiply(a.data(), n.rows, a_stride, view, at_once.data(), c_stride, start, bias.data());
                EXPECT_EQ(at_once, result);
            }
        }
    }
}

// Numbers of few bits are the same in both precisions, and so are their sums.
TEST_P(ProductTest, WhatNeedsNoRoundingIsTheSameInBfloat16) {
    for (std::vector<float>* values : {&a, &b, &bias, &c}) {
        for (float& value : *values) {
            value = std::round(value * 8.0F);
        }
    }
    PackedMatrix full(n.depth, n.columns);
    PackedMatrix rounded(n.depth, n.columns, Precision::bfloat16);
    for (PackedMatrix* packed : {&full, &rounded}) {
        packed->pack(b.data(), n.columns, 1);
    }
    for (const Start start : {Start::zero, Start::bias, Start::present}) {
        std::vector<float> expected = c;
        multiply(a.data(), n.rows, a_stride, full, expected.data(), c_stride, start, bias.data());
        std::vector<float> result = c;
        multiply(a.data(), n.rows, a_stride, rounded, result.data(), c_stride, start, bias.data());
        EXPECT_EQ(result, expected);
    }
}

// a^T, written out, times b.
TEST_P(ProductTest, TheTransposedProductIsThatOfTheTransposed) {
    std::vector<float> transposed(static_cast<std::size_t>(n.depth * (n.rows + gap)));
    for (std::int64_t row = 0; row < n.rows; ++row) {
        for (std::int64_t k = 0; k < n.depth; ++k) {
            transposed[static_cast<std::size_t>(k * (n.rows + gap) + row)] =
                a[static_cast<std::size_t>(row * a_stride + k)];
        }
    }
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        PackedMatrix packed(n.depth, n.columns, precision);
        packed.pack(b.data(), n.columns, 1);
        for (const Start start : {Start::zero, Start::present}) {
            std::vector<float> expected = c;
            multiply(a.data(), n.rows, a_stride, packed, expected.data(), c_stride, start);
            std::vector<float> result = c;
            multiply_transposed(transposed.data(), n.rows, n.rows + gap, packed, result.data(), c_stride, start);
            EXPECT_EQ(result, expected);
        }
    }
}

TEST_P(ProductTest, ARowIsTheSameWhateverTheOthers) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        PackedMatrix packed(n.depth, n.columns, precision);
        packed.pack(b.data(), n.columns, 1);
        std::vector<float> together = c;
        multiply(a.data(), n.rows, a_stride, packed, together.data(), c_stride);
        std::vector<float> alone = c;
        for (std::int64_t row = 0; row < n.rows; ++row) {
            multiply(a.data() + row * a_stride, 1, a_stride, packed, alone.data() + row * c_stride, c_stride);
        }
        EXPECT_EQ(alone, together);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ProductTest, testing::ValuesIn(cases), [](const auto& info) {
    return std::to_string(info.param.rows) + "_" + std::to_string(info.param.depth) + "_" +
           std::to_string(info.param.columns);
});

TEST(PackedMatrix, IsPackedAgainInPlace) {
    const std::vector<float> first = random_values(6, 5);
    const std::vector<float> second = random_values(6, 6);
    const float one = 1.0F;
    PackedMatrix packed(1, 6);
    packed.pack(first.data(), 6, 1);
    const auto* place = packed.data<float>();
    packed.pack(second.data(), 6, 1);
    EXPECT_EQ(packed.data<float>(), place);
    std::vector<float> result(6);
    multiply(&one, 1, 1, packed, result.data(), 6);
    EXPECT_EQ(result, second);
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
    EXPECT_EQ(first_of(bfloat16_pair(1.0F + 1.0F / 256, 0.0F)), 1.0F);               // half a unit: down to even
    EXPECT_EQ(first_of(bfloat16_pair(1.0F + 3.0F / 256, 0.0F)), 1.0F + 4.0F / 256);  // half a unit: up to even
    EXPECT_EQ(second_of(bfloat16_pair(0.0F, -1.0F - 1.1F / 256)), -1.0F - 2.0F / 256);
    EXPECT_EQ(first_of(bfloat16_pair(3.0e38F, 0.0F)), std::ldexp(226.0F, 120));
    EXPECT_EQ(first_of(bfloat16_pair(std::numeric_limits<float>::max(), 0.0F)), std::numeric_limits<float>::infinity());
    EXPECT_EQ(second_of(bfloat16_pair(0.0F, -std::numeric_limits<float>::infinity())),
              -std::numeric_limits<float>::infinity());
}

TEST(Bfloat16, NothingHidesWhatIsNotANumber) {
    for (const std::uint32_t bits : {0x7FFFFFFFU, 0xFFFFFFFFU, 0x7F800001U, 0x7FC00000U}) {
        float value = 0.0F;
        std::memcpy(&value, &bits, sizeof value);
        EXPECT_TRUE(std::isnan(first_of(bfloat16_pair(value, 1.0F))));
        EXPECT_TRUE(std::isnan(second_of(bfloat16_pair(1.0F, value))));
    }
}

}  // namespace
}  // namespace softalign
