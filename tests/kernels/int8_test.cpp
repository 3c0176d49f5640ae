#include "kernels/int8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "arrays.h"
#include "kernels/packed_matrix.h"
#include "kernels/product_blocks.h"
#include "kernels/tiles.h"

namespace softalign {
namespace {

// A row rounded, one number at a time.
struct Quantized {
    explicit Quantized(const std::vector<float>& x) : q(x.size()) {
        float largest = 0.0F;
        for (const float value : x) {
            largest = std::max(largest, std::abs(value));
        }
        if (largest < 1e-30F) {
            return;
        }
        int exponent = 0;
        const double mantissa = std::frexp(static_cast<double>(largest / 127.0F), &exponent);
        scale = static_cast<float>(std::ldexp(std::ceil(std::ldexp(mantissa, 16)), exponent - 16));
        const float inverse = 1.0F / scale;
        std::transform(x.begin(), x.end(), q.begin(),
                       [inverse](float value) { return static_cast<int>(std::nearbyint(value * inverse)); });
    }

    std::vector<int> q;
    float scale = 0.0F;
};

std::vector<float> copy_of(const float* x, std::int64_t count, std::int64_t stride = 1) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        values[static_cast<std::size_t>(i)] = x[i * stride];
    }
    return values;
}

TEST(QuantizeRow, IsThePlainFormBitForBit) {
    for (const std::int64_t length : kernel_lengths()) {
        for (const double size : {1e-20, 0.01, 1.0, 3e38}) {
            const Array<float> x(length, static_cast<std::uint32_t>(length), size);
            const Quantized expected(copy_of(x.data(), length));
            Array<std::int8_t> q(length, 1);
            EXPECT_EQ(quantize_row(x.data(), length, q.data()), expected.scale);
            EXPECT_TRUE(q.intact());
            EXPECT_TRUE(std::equal(expected.q.begin(), expected.q.end(), q.data())) << length << " " << size;
        }
    }
}

TEST(SumOfRow, IsTheSum) {
    for (const std::int64_t length : kernel_lengths()) {
        std::vector<std::int8_t> q(static_cast<std::size_t>(length));
        int sum = 0;
        for (std::size_t i = 0; i < q.size(); ++i) {
            q[i] = static_cast<std::int8_t>(i % 7 == 0 ? -127 : 127 - static_cast<int>(i % 5));
            sum += q[i];
        }
        EXPECT_EQ(sum_of_row(q.data(), length), sum);
    }
}

// The error is half a step at most, and the largest number is 127 steps.
TEST(QuantizeRow, KeepsEachNumberToHalfAStep) {
    const Array<float> x(1000, 3);
    std::vector<std::int8_t> q(1000);
    const float scale = quantize_row(x.data(), 1000, q.data());
    for (std::int64_t i = 0; i < 1000; ++i) {
        EXPECT_LE(std::abs(static_cast<double>(scale) * q[static_cast<std::size_t>(i)] - x[i]), 0.5001 * scale);
    }
    EXPECT_EQ(std::max(*std::max_element(q.begin(), q.end()),
                       static_cast<std::int8_t>(-*std::min_element(q.begin(), q.end()))),
              127);
}

// What was rounded is exact in float32, and rounding it again changes nothing.
TEST(QuantizeRow, RoundsOnce) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const Array<float> x(50, seed, std::ldexp(1.0, static_cast<int>(seed % 40) - 20));
        std::vector<std::int8_t> q(50);
        const float scale = quantize_row(x.data(), 50, q.data());
        std::vector<float> rounded(50);
        std::transform(q.begin(), q.end(), rounded.begin(),
                       [scale](std::int8_t one) { return scale * static_cast<float>(one); });
        std::vector<std::int8_t> again(50);
        EXPECT_EQ(quantize_row(rounded.data(), 50, again.data()), scale);
        EXPECT_EQ(again, q);
    }
}

TEST(QuantizeRow, NothingHidesWhatIsNotANumber) {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float value :
         {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
        for (const std::size_t place : {0U, 18U}) {
            std::vector<float> x(19, 1.0F);
            x[place] = value;
            std::vector<std::int8_t> q(19, 1);
            EXPECT_TRUE(std::isnan(quantize_row(x.data(), 19, q.data())));
            EXPECT_EQ(q, std::vector<std::int8_t>(19, 0));
        }
    }
    for (const float value : {0.0F, -1e-31F, std::numeric_limits<float>::denorm_min()}) {
        const std::vector<float> x(19, value);
        std::vector<std::int8_t> q(19, 1);
        EXPECT_EQ(quantize_row(x.data(), 19, q.data()), 0.0F);
        EXPECT_EQ(q, std::vector<std::int8_t>(19, 0));
    }
}

struct Sizes {
    std::int64_t rows;
    std::int64_t depth;
    std::int64_t columns;
};

class Int8Product : public testing::TestWithParam<Sizes> {
protected:
    static constexpr std::int64_t gap = 3;

    // c = start + a b as kernels/int8.h has it, with exact sums and one rounding after another.
    std::vector<float> plain(Start start) const {
        std::vector<float> result = c;
        std::vector<Quantized> of_columns;
        for (std::int64_t column = 0; column < n.columns; ++column) {
            of_columns.emplace_back(copy_of(b.data() + column, n.depth, n.columns));
        }
        for (std::int64_t row = 0; row < n.rows; ++row) {
            const Quantized of_row(copy_of(a.data() + row * (n.depth + gap), n.depth));
            for (std::int64_t column = 0; column < n.columns; ++column) {
                const Quantized& of_column = of_columns[static_cast<std::size_t>(column)];
                std::int64_t sum = 0;
                for (std::size_t k = 0; k < of_row.q.size(); ++k) {
                    sum += static_cast<std::int64_t>(of_row.q[k]) * of_column.q[k];
                }
                const float scale = of_row.scale * of_column.scale;
                volatile const float product = static_cast<float>(sum) * scale;  // rounded before it is added
                const auto at = static_cast<std::size_t>(row * (n.columns + gap) + column);
                result[at] = start == Start::zero   ? product
                             : start == Start::bias ? bias[column] + product
                                                    : result[at] + product;
            }
        }
        return result;
    }

    Sizes n = GetParam();
    Array<float> a{n.rows * (n.depth + gap), 1};
    Array<float> b{n.depth * n.columns, 2, 0.1};
    Array<float> bias{n.columns, 3};
    std::vector<float> c = copy_of(Array<float>(n.rows * (n.columns + gap), 4).data(), n.rows*(n.columns + gap));
};

// On every processor, since the tests of all instruction sets compare with the same numbers.
TEST_P(Int8Product, IsThePlainFormBitForBit) {
    PackedMatrix packed(n.depth, n.columns, Precision::int8);
    packed.pack(b.data(), n.columns, 1);
    for (const Start start : {Start::zero, Start::bias, Start::present}) {
        std::vector<float> result = c;
        multiply(a.data(), n.rows, n.depth + gap, packed, result.data(), n.columns + gap, start, bias.data());
        EXPECT_EQ(result, plain(start));
        std::vector<float> at_once = c;
        const MatrixView view{b.data(), n.depth, n.columns, n.columns, 1, Precision::int8};
        multiply(a.data(), n.rows, n.depth + gap, view, at_once.data(), n.columns + gap, start, bias.data());
        EXPECT_EQ(at_once, result);
    }
}

TEST_P(Int8Product, ARowIsTheSameWhateverTheOthers) {
    PackedMatrix packed(n.depth, n.columns, Precision::int8);
    packed.pack(b.data(), n.columns, 1);
    std::vector<float> together = c;
    multiply(a.data(), n.rows, n.depth + gap, packed, together.data(), n.columns + gap);
    std::vector<float> alone = c;
    for (std::int64_t row = 0; row < n.rows; ++row) {
        multiply(a.data() + row * (n.depth + gap), 1, n.depth + gap, packed, alone.data() + row * (n.columns + gap),
                 n.columns + gap);
    }
    EXPECT_EQ(alone, together);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Int8Product,
                         testing::ValuesIn(std::vector<Sizes>{{1, 1, 1},
                                                              {7, 3, 47},
                                                              {8, 16, 48},
                                                              {9, 17, 49},
                                                              {16, 512, 97},
                                                              {3, 2050, 64},
                                                              {25, 1031, 5},
                                                              {2, 0, 10},
                                                              {0, 5, 5}}),
                         [](const auto& info) {
                             return std::to_string(info.param.rows) + "_" + std::to_string(info.param.depth) + "_" +
                                    std::to_string(info.param.columns);
                         });

// Columns that are rows in memory, as weights are.
TEST(Int8Product, PacksEitherLayout) {
    constexpr std::int64_t depth = 37;
    constexpr std::int64_t columns = 100;
    const Array<float> a(2 * depth, 1);
    const Array<float> b(depth * columns, 2);
    std::vector<float> transposed(depth * columns);
    for (std::int64_t k = 0; k < depth; ++k) {
        for (std::int64_t column = 0; column < columns; ++column) {
            transposed[static_cast<std::size_t>(column * depth + k)] = b.data()[k * columns + column];
        }
    }
    PackedMatrix by_rows(depth, columns, Precision::int8);
    by_rows.pack(b.data(), columns, 1);
    PackedMatrix by_columns(depth, columns, Precision::int8);
    by_columns.pack(transposed.data(), 1, depth);
    std::vector<float> first(2 * columns);
    multiply(a.data(), 2, depth, by_rows, first.data(), columns);
    std::vector<float> second(2 * columns);
    multiply(a.data(), 2, depth, by_columns, second.data(), columns);
    EXPECT_EQ(first, second);
}

// The largest sums there are, in which 16 bits would overflow.
TEST(Int8Product, DoesNotSaturate) {
    constexpr std::int64_t depth = 4096;
    for (const float sign : {1.0F, -1.0F}) {
        const std::vector<float> a(depth, sign);
        const std::vector<float> b(depth * 50, -1.0F);
        PackedMatrix packed(depth, 50, Precision::int8);
        packed.pack(b.data(), 50, 1);
        std::vector<float> c(50);
        multiply(a.data(), 1, depth, packed, c.data(), 50);
        for (const float sum : c) {
            EXPECT_NEAR(sum, -sign * static_cast<float>(depth), 1.0F);
        }
    }
}

TEST(Int8Product, NothingHidesWhatIsNotANumber) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> a = {1.0F, nan, 1.0F, 1.0F};              // two rows
    const std::vector<float> b = {1.0F, 1.0F, nan, 1.0F, 1.0F, 1.0F};  // three columns
    PackedMatrix packed(2, 3, Precision::int8);
    packed.pack(b.data(), 3, 1);
    std::vector<float> c(6);
    multiply(a.data(), 2, 2, packed, c.data(), 3);
    for (std::size_t i = 0; i < c.size(); ++i) {
        EXPECT_EQ(std::isnan(c[i]), i < 3 || i == 5) << i;
    }
}

// Every kernel, for every number of rows and columns, from every start.
TEST(Int8Blocks, AreThePlainForm) {
    const ProductKernels<Int8Quad>& kernels = product_kernels<Int8Quad>(Rows::one_after_another);
    for (const std::int64_t units : {0, 1, 2, 7, 16, 33}) {
        const TileScope tiles(kernels.by_tiles, units);
        alignas(64) Int8Quad panel[33 * panel_width];
        Array<std::int8_t> numbers(units * panel_width * quad_terms, 1, 127.9);
        for (std::int64_t i = 0; i < numbers.size(); ++i) {
            reinterpret_cast<std::uint8_t*>(panel)[i] = static_cast<std::uint8_t>(numbers.data()[i] + 128);
        }
        const std::int64_t stride = units + 3;
        std::vector<Int8Quad> a(static_cast<std::size_t>(kernels.most_rows * stride));
        const Array<std::int8_t> of_a(kernels.most_rows * stride * quad_terms, 2, 127.9);
        std::copy_n(of_a.data(), of_a.size(), reinterpret_cast<std::int8_t*>(a.data()));
        const Array<float> of_rows(kernels.most_rows, 5);
        const Array<float> of_columns(panel_width, 6);
        std::vector<std::int32_t> sums;
        for (std::int64_t row = 0; row < kernels.most_rows; ++row) {
            const std::int8_t* begin = of_a.data() + row * stride * quad_terms;
            std::int32_t sum = 0;
            std::for_each(begin, begin + units * quad_terms, [&sum](std::int8_t one) { sum += one; });
            sums.push_back(sum);
        }
        for (std::int64_t rows = 1; rows <= kernels.most_rows; ++rows) {
            for (std::int64_t columns = 1; columns <= panel_width; ++columns) {
                for (const std::int64_t start_stride : {-1, 0, 50}) {
                    const std::int64_t c_stride = columns + 1;
                    const Array<float> start(rows * 50 + panel_width, 3);
                    const Array<float> before(rows * c_stride, 4);
                    Array<float> c = before;
                    kernels.of_rows[rows - 1]({a.data(),
                                               stride,
                                               panel,
                                               units,
                                               c.data(),
                                               c_stride,
                                               columns,
                                               start_stride < 0 ? nullptr : start.data(),
                                               std::max<std::int64_t>(start_stride, 0),
                                               {of_rows.data(), of_columns.data(), sums.data()}});
                    expect_array(c, 0.0, [&](std::int64_t i) {
                        const std::int64_t row = i / c_stride;
                        const std::int64_t column = i % c_stride;
                        if (column == columns) {
                            return before[i];  // between the rows
                        }
                        std::int32_t sum = 0;
                        for (std::int64_t k = 0; k < units * quad_terms; ++k) {
                            sum +=
                                of_a.data()[row * stride * quad_terms + k] *
                                numbers.data()[(k / quad_terms * panel_width + column) * quad_terms + k % quad_terms];
                        }
                        volatile const float product =
                            static_cast<float>(sum) * (of_rows.data()[row] * of_columns.data()[column]);
                        const float from = start_stride < 0 ? 0.0F : start.data()[row * start_stride + column];
                        return static_cast<double>(from + product);
                    });
                }
            }
        }
    }
}

}  // namespace
}  // namespace softalign
