#include "kernels/product_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.h"
#include "kernels/tiles.h"

namespace softalign {
namespace {

// The terms of a unit as numbers, what rounding to bfloat16 makes of them.
double first_term(float unit) {
    return unit;
}
double second_term(float /*unit*/) {
    return 0.0;
}
double first_term(Bfloat16Pair unit) {
    return first_of(unit);
}
double second_term(Bfloat16Pair unit) {
    return second_of(unit);
}

void set_terms(float first, float /*second*/, float& unit) {
    unit = first;
}
void set_terms(float first, float second, Bfloat16Pair& unit) {
    unit = bfloat16_pair(first, second);
}

// b on a cache line's border, as the kernels ask.
template <typename Unit>
struct Panel {
    explicit Panel(std::int64_t units) {
        const Array<float> random(2 * units * panel_width, 1);
        for (std::int64_t i = 0; i < units * panel_width; ++i) {
            set_terms(static_cast<float>(random[2 * i]), static_cast<float>(random[2 * i + 1]), data[i]);
        }
    }

    alignas(64) Unit data[33 * panel_width] = {};
};

template <typename Unit>
class ProductBlocks : public testing::Test {
protected:
    // Every kernel of a layout, for every number of columns, with sums that start from zero, from a row or from rows.
    static void expect_products(Rows layout, std::int64_t units) {
        const ProductKernels<Unit>& kernels = product_kernels<Unit>(layout);
        const TileScope tiles(kernels.by_tiles, units);
        const Panel<Unit> panel(units);
        const bool beside = layout == Rows::side_by_side;
        const std::int64_t stride = beside ? 0 : units + 3;
        std::vector<Unit> a(static_cast<std::size_t>(beside ? units * rows_side_by_side : kernels.most_rows * stride) +
                            1);
        const Array<float> random(2 * static_cast<std::int64_t>(a.size()), 2);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto at = 2 * static_cast<std::int64_t>(i);
            set_terms(static_cast<float>(random[at]), static_cast<float>(random[at + 1]), a[i]);
        }
        for (std::int64_t rows = 1; rows <= kernels.most_rows; ++rows) {
            for (std::int64_t columns = 1; columns <= panel_width; ++columns) {
                for (const std::int64_t start_stride : {-1, 0, 50}) {
                    const std::int64_t c_stride = columns + 1;
                    const Array<float> start(rows * 50 + panel_width, 3);
                    const Array<float> before(rows * c_stride, 4);
                    Array<float> c = before;
                    const float* from = start_stride < 0 ? nullptr : start.data();
                    kernels.of_rows[rows - 1]({a.data(), stride, panel.data, units, c.data(), c_stride, columns, from,
                                               std::max<std::int64_t>(start_stride, 0)});
                    expect_array(c, 2e-6, [&](std::int64_t i) {
                        const std::int64_t row = i / c_stride;
                        const std::int64_t column = i % c_stride;
                        if (column == columns) {
                            return before[i];  // between the rows
                        }
                        double sum = from != nullptr ? start[row * start_stride + column] : 0.0;
                        for (std::int64_t k = 0; k < units; ++k) {
                            const Unit left =
                                a[static_cast<std::size_t>(beside ? k * rows_side_by_side + row : row * stride + k)];
                            const Unit right = panel.data[k * panel_width + column];
                            sum += first_term(left) * first_term(right) + second_term(left) * second_term(right);
                        }
                        return sum;
                    });
                }
            }
        }
    }
};

using Units = testing::Types<float, Bfloat16Pair>;
TYPED_TEST_SUITE(ProductBlocks, Units, );

TYPED_TEST(ProductBlocks, AreThePlainForm) {
    for (const std::int64_t units : {0, 1, 2, 7, 16, 33}) {
        TestFixture::expect_products(Rows::one_after_another, units);
        TestFixture::expect_products(Rows::side_by_side, units);
    }
}

}  // namespace
}  // namespace softalign
