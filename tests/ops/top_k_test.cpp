#include "ops/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace softalign {
namespace {

TEST(TopK, TheScanEqualsTheOperator) {
    at::manual_seed(3);
    for (const std::int64_t width : {1, 2, 63, 64, 65, 200, 1000}) {
        for (const std::int64_t k : {1, 2, 5, 17, 300}) {
            const at::Tensor values = at::randn({4, width});
            TopK scan;
            TopK reference;
            top_k_by_scan(values, k, width - 1, scan);
            top_k_by_operator(values, k, width - 1, reference);
            EXPECT_EQ(scan.rows, 4);
            EXPECT_EQ(scan.k, std::min(k, width));
            EXPECT_EQ(scan.values, reference.values);
            EXPECT_EQ(scan.tokens, reference.tokens);
            EXPECT_EQ(scan.eos, reference.eos);
        }
    }
}

TEST(TopK, EqualValuesGoByTokenId) {
    at::Tensor values = at::full({1, 300}, -5.0F);
    values[0][170] = -1.0F;
    values[0][90] = -1.0F;
    values[0][250] = -0.5F;
    TopK best;
    top_k_by_scan(values, 5, 0, best);
    EXPECT_EQ(best.tokens, (std::vector<std::int32_t>{250, 90, 170, 0, 1}));
    top_k_by_operator(values, 3, 0, best);
    EXPECT_EQ(best.tokens, (std::vector<std::int32_t>{250, 90, 170}));
}

TEST(TopK, ANaNIsAlwaysSeen) {
    for (std::int64_t place = 0; place < 200; ++place) {
        at::Tensor values = at::randn({1, 200});
        values[0][place] = std::numeric_limits<float>::quiet_NaN();
        TopK best;
        top_k_by_scan(values, 3, 0, best);
        EXPECT_TRUE(std::isnan(best.value(0, 0))) << place;
        top_k_by_operator(values, 3, 0, best);
        EXPECT_TRUE(std::isnan(best.value(0, 0))) << place;
    }
}

TEST(TopK, ReadsStridedTensors) {
    const at::Tensor values = at::arange(12, at::kFloat).view({4, 3}).t();  // [3,4], not contiguous
    TopK best;
    top_k(values, 1, 2, best);
    EXPECT_EQ(best.values, (std::vector<float>{9, 10, 11}));
    EXPECT_EQ(best.eos, (std::vector<float>{6, 7, 8}));
}

}  // namespace
}  // namespace softalign
