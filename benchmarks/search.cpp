// The best entries of each row of a step, by the scan and by LibTorch.
#include <cstdint>

#include "limits.h"
#include "ops/top_k.h"

namespace softalign {
namespace {

void best(benchmark::State& state, void (*select)(const at::Tensor&, std::int64_t, std::int64_t, TopK&)) {
    const at::Tensor log_probs = random({state.range(0), state.range(1)});
    TopK found;
    for (auto _ : state) {
        select(log_probs, state.range(2), 3, found);
        benchmark::DoNotOptimize(found.tokens.data());
    }
    report(state, {0.0, 4.0 * static_cast<double>(log_probs.numel())});
}

BENCHMARK_CAPTURE(best, scan, top_k_by_scan)
    ->ArgNames({"rows", "words", "k"})
    ->Args({320, 8000, 5})
    ->Args({64, 8000, 1})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(best, operator, top_k_by_operator)
    ->ArgNames({"rows", "words", "k"})
    ->Args({320, 8000, 5})
    ->Args({64, 8000, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace softalign
