#include "model/stack_input.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "ops/plain_execution.h"

namespace softalign {
namespace {

// Declares parameters as a part does, and keeps them.
class Declared {
public:
    StackInput input(const ModelConfig& config, std::int64_t size) {
        return StackInput(config, size, [this](const std::string& name, at::IntArrayRef sizes, Role /*role*/) {
            return parameters[name] = at::randn(sizes, at::kDouble);
        });
    }

    std::map<std::string, at::Tensor> parameters;
};

ModelConfig config_of(std::int64_t embedding_size, PositionType type) {
    ModelConfig config;
    config.embedding_size = embedding_size;
    config.positions.type = type;
    config.positions.size = 3;
    return config;
}

TEST(StackInput, AddsSinusoidsToScaledEmbeddings) {
    Declared declared;
    const StackInput input = declared.input(config_of(4, PositionType::sinusoidal), 4);
    EXPECT_TRUE(declared.parameters.empty());
    const at::Tensor words = at::randn({2, 4}, at::kDouble);
    const at::Tensor result = input(words, at::tensor({0, 2}, at::kLong), 3, plain_execution);
    const at::Tensor expected =
        2.0 * words +
        at::stack({at::tensor({0.0, 1.0, 0.0, 1.0}, at::kDouble),
                   at::tensor({std::sin(2.0), std::cos(2.0), std::sin(0.02), std::cos(0.02)}, at::kDouble)});
    EXPECT_TRUE(at::allclose(result, expected, 1e-12, 1e-12));
}

TEST(StackInput, PositionsBeyondTheLearnedOnesShareTheLast) {
    Declared declared;
    const StackInput input = declared.input(config_of(4, PositionType::learned), 5);
    const at::Tensor words = at::randn({3, 4}, at::kDouble);
    const at::Tensor result = input(words, at::tensor({1, 2, 7}, at::kLong), 8, plain_execution);
    const at::Tensor rows = declared.parameters.at("positions").index_select(0, at::tensor({1, 2, 2}, at::kLong));
    const at::Tensor expected = at::matmul(2.0 * words, declared.parameters.at("weight_in").t()) + rows;
    EXPECT_TRUE(at::allclose(result, expected, 1e-12, 1e-12));
    EXPECT_EQ(input.work(3), 2.0 * 3 * 4 * 5);
}

}  // namespace
}  // namespace softalign
