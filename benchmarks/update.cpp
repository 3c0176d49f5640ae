// One update of a slice of the weights by each optimiser, in the slices of training.
#include <algorithm>
#include <cstdint>

#include "limits.h"
#include "train/optimizer.h"

namespace softalign {
namespace {

void update(benchmark::State& state, OptimizerType type, double vectors) {
    constexpr std::int64_t size = 4'000'000;
    constexpr std::int64_t slice = 65536;
    OptimizerConfig config;
    config.type = type;
    const at::Tensor weights = random({size});
    at::Tensor gradient = random({size}).mul_(0.01);
    Optimizer optimizer(config, weights);
    std::int64_t t = 0;
    const at::NoGradGuard no_gradients;
    for (auto _ : state) {
        ++t;
        for (std::int64_t begin = 0; begin < size; begin += slice) {
            const std::int64_t count = std::min(slice, size - begin);
            optimizer.update(weights, gradient, begin, count, 1e-3, t);
        }
    }
    report(state, {0.0, 4.0 * vectors * static_cast<double>(size)});
}

// The vectors that are read and those that are written: gradient, weights, and the optimiser's own.
BENCHMARK_CAPTURE(update, sgd, OptimizerType::sgd, 3.0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update, adam, OptimizerType::adam, 7.0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update, adadelta, OptimizerType::adadelta, 7.0)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace softalign
