#include "ops/recurrent.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ops/differences.h"

namespace softalign {
namespace {

void expect_fast_gates_agree(at::ScalarType type, double scale, double tolerance) {
    at::manual_seed(1);
    for (const std::int64_t rows : {1, 3}) {
        for (const std::int64_t width : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100}) {
            const std::vector<at::Tensor> inputs = {at::randn({rows, 3 * width}, type) * scale,
                                                    at::randn({rows, 3 * width}, type) * scale,
                                                    at::randn({rows, width}, type)};
            const at::Tensor weight = at::randn({rows, width}, type);
            const Differentiated fast = differentiate(gru_gates, inputs, weight);
            const Differentiated plain = differentiate(gru_gates_plain, inputs, weight);
            EXPECT_LE(largest_difference(fast.result, plain.result), tolerance) << rows << " x " << width;
            EXPECT_LE(largest_difference(fast.gradients, plain.gradients), tolerance) << rows << " x " << width;
        }
    }
}

TEST(GruGates, FastFormIsThePlainFormInDouble) {
    expect_fast_gates_agree(at::kDouble, 1.0, 1e-14);
    expect_fast_gates_agree(at::kDouble, 20.0, 1e-13);
}

TEST(GruGates, FastFormIsThePlainFormInFloat) {
    expect_fast_gates_agree(at::kFloat, 1.0, 5e-6);
    expect_fast_gates_agree(at::kFloat, 20.0, 5e-5);
}

TEST(GruGates, TakesViewsThatAreNotContiguous) {
    at::manual_seed(2);
    const at::Tensor projected = at::randn({9, 4}, at::kDouble).t();
    const at::Tensor recurrent = at::randn({4, 18}, at::kDouble).slice(1, 0, 18, 2);
    const at::Tensor hidden = at::randn({1, 3}, at::kDouble).expand({4, 3});
    EXPECT_LE(
        largest_difference(gru_gates(projected, recurrent, hidden), gru_gates_plain(projected, recurrent, hidden)),
        1e-14);
}

TEST(GruGates, GradientsMatchFiniteDifferences) {
    at::manual_seed(3);
    const at::Tensor projected = differentiable({2, 9});
    const at::Tensor recurrent = differentiable({2, 9});
    const at::Tensor hidden = differentiable({2, 3});
    const at::Tensor weight = at::randn({2, 3}, at::kDouble);
    const std::vector<at::Tensor> inputs = {projected, recurrent, hidden};
    EXPECT_LE(gradient_error([&] { return (gru_gates(projected, recurrent, hidden) * weight).sum(); }, inputs), 1e-8);
    EXPECT_LE(gradient_error([&] { return (gru_gates_plain(projected, recurrent, hidden) * weight).sum(); }, inputs),
              1e-8);
}

TEST(GruGates, NanReachesTheResult) {
    const at::Tensor nan = at::full({1, 3}, std::numeric_limits<double>::quiet_NaN(), at::kFloat);
    EXPECT_TRUE(gru_gates(nan, at::zeros({1, 3}), at::zeros({1, 1})).isnan().all().item<bool>());
}

}  // namespace
}  // namespace softalign
