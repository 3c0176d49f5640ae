#include "kernels/packed_matrix.h"

#include <gtest/gtest.h>

#include <random>
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
                                 {3, 513, 50}, {25, 1030, 5}, {64, 100, 100}, {2, 0, 10},  {0, 5, 5}};

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

    // b as [depth,columns] row by row, or column by column.
    double element(bool by_columns, std::int64_t k, std::int64_t column) const {
        return b[static_cast<std::size_t>(by_columns ? column * n.depth + k : k * n.columns + column)];
    }

    void expect_product(const std::vector<float>& result, Start start, bool by_columns) const {
        for (std::int64_t row = 0; row < n.rows; ++row) {
            for (std::int64_t column = 0; column < c_stride; ++column) {
                const auto at = static_cast<std::size_t>(row * c_stride + column);
                if (column >= n.columns) {
                    EXPECT_EQ(result[at], c[at]) << "a gap was written to";
                    continue;
                }
                double sum = start_of(start, row, column);
                for (std::int64_t k = 0; k < n.depth; ++k) {
                    sum += static_cast<double>(a[static_cast<std::size_t>(row * a_stride + k)]) *
                           element(by_columns, k, column);
                }
                EXPECT_NEAR(result[at], sum, 1e-4) << row << " " << column;
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
    for (const bool by_columns : {false, true}) {
        const std::int64_t row_stride = by_columns ? 1 : n.columns;
        const std::int64_t column_stride = by_columns ? n.depth : 1;
        PackedMatrix packed(n.depth, n.columns);
        packed.pack(b.data(), row_stride, column_stride);
        const MatrixView view{b.data(), n.depth, n.columns, row_stride, column_stride};
        for (const Start start : {Start::zero, Start::bias, Start::present}) {
            std::vector<float> result = c;
            multiply(a.data(), n.rows, a_stride, packed, result.data(), c_stride, start, bias.data());
            expect_product(result, start, by_columns);
            std::vector<float> at_once = c;
            multiply(a.data(), n.rows, a_stride, view, at_once.data(), c_stride, start, bias.data());
            EXPECT_EQ(at_once, result);
        }
    }
}

TEST_P(ProductTest, ARowIsTheSameWhateverTheOthers) {
    PackedMatrix packed(n.depth, n.columns);
    packed.pack(b.data(), n.columns, 1);
    std::vector<float> together = c;
    multiply(a.data(), n.rows, a_stride, packed, together.data(), c_stride);
    std::vector<float> alone = c;
    for (std::int64_t row = 0; row < n.rows; ++row) {
        multiply(a.data() + row * a_stride, 1, a_stride, packed, alone.data() + row * c_stride, c_stride);
    }
    EXPECT_EQ(alone, together);
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
    const float* place = packed.data();
    packed.pack(second.data(), 6, 1);
    EXPECT_EQ(packed.data(), place);
    std::vector<float> result(6);
    multiply(&one, 1, 1, packed, result.data(), 6);
    EXPECT_EQ(result, second);
}

}  // namespace
}  // namespace softalign
