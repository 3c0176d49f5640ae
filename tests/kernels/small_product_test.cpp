#include "kernels/small_product.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.h"
#include "kernels/transpose.h"

namespace softalign {
namespace {

template <typename T>
class SmallProducts : public testing::Test {
protected:
    static constexpr double tolerance = sizeof(T) == sizeof(float) ? 3e-6 : 1e-14;

    // c [rows,columns], rows c_row apart, from a with any strides and b with rows b_row apart.
    static void expect_product(std::int64_t rows, std::int64_t terms, std::int64_t columns, bool transposed,
                               bool adds) {
        const std::int64_t a_row = transposed ? 1 : terms + 2;
        const std::int64_t a_term = transposed ? rows + 3 : 1;
        const std::int64_t b_row = columns + 1;
        const std::int64_t c_row = columns + 5;
        const Array<T> a(transposed ? terms * a_term : rows * a_row, 1);
        const Array<T> b(terms * b_row, 2);
        const Array<T> before((rows - 1) * c_row + columns, 3);
        Array<T> c = before;
        multiply_small(
            SmallProduct<T>{a.data(), a_row, a_term, b.data(), b_row, c.data(), c_row, rows, terms, columns, adds});
        expect_array(c, tolerance, [&](std::int64_t i) {
            const std::int64_t row = i / c_row;
            const std::int64_t column = i % c_row;
            if (column >= columns) {
                return before[i];
            }
            double sum = adds ? before[i] : 0.0;
            for (std::int64_t k = 0; k < terms; ++k) {
                sum += a[row * a_row + k * a_term] * b[k * b_row + column];
            }
            return sum;
        });
    }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SmallProducts, Types, );

TYPED_TEST(SmallProducts, AreTheSumsOfProducts) {
    for (const std::int64_t columns : kernel_lengths()) {
        for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 13}) {
            for (const bool transposed : {false, true}) {
                this->expect_product(rows, 5, columns, transposed, rows % 2 == 0);
            }
        }
    }
    for (const std::int64_t terms : kernel_lengths()) {
        this->expect_product(7, terms, 33, false, true);
    }
}

// As attention relies on, so that a sentence's result does not depend on the others in its batch.
TYPED_TEST(SmallProducts, ARowIsTheSameWhateverTheOthers) {
    constexpr std::int64_t terms = 37;
    constexpr std::int64_t columns = 70;
    const Array<TypeParam> a(9 * terms, 1);
    const Array<TypeParam> b(terms * columns, 2);
    Array<TypeParam> together(9 * columns, 3);
    multiply_small(SmallProduct<TypeParam>{a.data(), terms, 1, b.data(), columns, together.data(), columns, 9, terms,
                                           columns, false});
    for (std::int64_t row = 0; row < 9; ++row) {
        Array<TypeParam> alone(columns, 4);
        multiply_small(SmallProduct<TypeParam>{a.data() + row * terms, terms, 1, b.data(), columns, alone.data(),
                                               columns, 1, terms, columns, false});
        for (std::int64_t j = 0; j < columns; ++j) {
            ASSERT_EQ(alone[j], together[row * columns + j]) << row << " " << j;
        }
    }
}

TYPED_TEST(SmallProducts, TransposesEveryShape) {
    for (const std::int64_t columns : kernel_lengths()) {
        for (const std::int64_t rows : {1, 2, 7, 8, 15, 16, 17, 31, 33, 64}) {
            const std::int64_t to_row = rows + 3;
            const Array<TypeParam> from(rows * (columns + 2), 1);
            const Array<TypeParam> before((columns - 1) * to_row + rows, 2);
            Array<TypeParam> to = before;
            transpose_small(from.data(), columns + 2, rows, columns, to.data(), to_row);
            expect_array(to, 0.0, [&](std::int64_t i) {
                return i % to_row < rows ? from[i % to_row * (columns + 2) + i / to_row] : before[i];
            });
        }
    }
}

// Bits that are no numbers, too: as float they are NaNs of all kinds.
TEST(SmallTransposes, KeepAllBits) {
    constexpr std::int64_t rows = 19;
    constexpr std::int64_t columns = 37;
    std::vector<std::uint32_t> from(rows * columns);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = 0x7f800001U + static_cast<std::uint32_t>(i) * 0x00c00005U;
    }
    std::vector<std::uint32_t> to(from.size());
    transpose_small(from.data(), columns, rows, columns, to.data(), rows);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        ASSERT_EQ(to[static_cast<std::size_t>(i % columns * rows + i / columns)], from[static_cast<std::size_t>(i)]);
    }
}

}  // namespace
}  // namespace softalign
