#include "model/recurrent/readout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/fixtures.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

ReadoutShape shape(ReadoutType type, bool word) {
    ReadoutShape result;
    result.type = type;
    result.size = 3;
    result.state_size = 4;
    result.word_size = word ? 2 : 0;
    result.context_size = 5;
    return result;
}

TEST(Readout, IsThatOfTheEquations) {
    const at::NoGradGuard no_grad;
    for (const bool word : {false, true}) {
        for (const ReadoutType type : {ReadoutType::tanh, ReadoutType::maxout}) {
            Readout readout(shape(type, word));
            readout.to(at::kDouble);
            randomize(readout, 3);
            const auto p = readout.named_parameters();
            const at::Tensor s = at::randn({4}, at::kDouble);
            const at::Tensor e = at::randn({2}, at::kDouble);
            const at::Tensor c = at::randn({5}, at::kDouble);
            at::Tensor sum = p["weight_state"].mv(s) + p["weight_context"].mv(c) + p["bias"];
            if (word) {
                sum += p["weight_word"].mv(e);
            }
            const at::Tensor result =
                readout.forward(s.unsqueeze(0), e.unsqueeze(0), c.unsqueeze(0), plain_execution)[0];
            ASSERT_EQ(result.numel(), 3);
            for (std::int64_t i = 0; i < 3; ++i) {
                const double expected = type == ReadoutType::tanh
                                            ? std::tanh(sum[i].item<double>())
                                            : std::max(sum[2 * i].item<double>(), sum[2 * i + 1].item<double>());
                EXPECT_NEAR(result[i].item<double>(), expected, 1e-15);
            }
        }
    }
}

TEST(Readout, GradientsMatchFiniteDifferences) {
    for (const ReadoutType type : {ReadoutType::tanh, ReadoutType::maxout}) {
        Readout readout(shape(type, true));
        readout.to(at::kDouble);
        randomize(readout, 4);
        std::vector<at::Tensor> inputs = {differentiable({2, 3, 4}), differentiable({2, 3, 2}),
                                          differentiable({2, 3, 5})};
        const at::Tensor weight = at::randn({2, 3, 3}, at::kDouble);
        for (const at::Tensor& parameter : readout.parameters()) {
            inputs.push_back(parameter);
        }
        const auto scalar = [&] {
            return (readout.forward(inputs[0], inputs[1], inputs[2], plain_execution) * weight).sum();
        };
        EXPECT_LE(gradient_error(scalar, inputs), 1e-8);
    }
}

}  // namespace
}  // namespace softalign
