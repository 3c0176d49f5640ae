// The matrix products of a step and of a whole batch, against those of 1024^3: [m,k] times the transpose of [n,k], by
// LibTorch, with the weight packed before, and with the weight packed on the way.
#include <cstdint>

#include "kernels/packed_matrix.h"
#include "limits.h"

namespace softalign {
namespace {

void product(benchmark::State& state) {
    const std::int64_t m = state.range(0);
    const std::int64_t k = state.range(1);
    const std::int64_t n = state.range(2);
    const at::Tensor left = random({m, k});
    const at::Tensor right = random({n, k});
    run_forward(state, [&] { return at::linear(left, right); });
    report(state, {2.0 * static_cast<double>(m * k * n), 4.0 * static_cast<double>(m * k + n * k + m * n)});
}

enum class Packing { before, on_the_way };

template <Packing packing, Precision precision>
void packed_product(benchmark::State& state) {
    const std::int64_t m = state.range(0);
    const std::int64_t k = state.range(1);
    const std::int64_t n = state.range(2);
    const at::Tensor left = random({m, k});
    const at::Tensor right = random({n, k});
    const at::Tensor result = at::empty({m, n});
    PackedMatrix packed(k, n, precision);
    packed.pack(right.data_ptr<float>(), 1, k);
    const MatrixView view{right.data_ptr<float>(), k, n, 1, k, precision};
    for (auto _ : state) {
        if (packing == Packing::before) {
            multiply(left.data_ptr<float>(), m, k, packed, result.data_ptr<float>(), n);
        } else {
            multiply(left.data_ptr<float>(), m, k, view, result.data_ptr<float>(), n);
        }
        benchmark::ClobberMemory();
    }
    report(state, {2.0 * static_cast<double>(m * k * n), 4.0 * static_cast<double>(m * k + n * k + m * n)});
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"m", "k", "n"})
        ->Args({32, 512, 1536})    // the states of a GRU, half a batch
        ->Args({64, 512, 1536})    // a batch
        ->Args({320, 512, 1536})   // the hypotheses of a beam of 5
        ->Args({1024, 256, 1536})  // the inputs of a whole batch
        ->Args({1024, 512, 8000})  // its output layer
        ->Args({320, 512, 8000})   // that of a step of the beam
        ->Args({1024, 1024, 1024})
        ->Unit(benchmark::kMicrosecond);
}

BENCHMARK(product)->Apply(sizes);
BENCHMARK_TEMPLATE(packed_product, Packing::before, Precision::float32)->Apply(sizes);
BENCHMARK_TEMPLATE(packed_product, Packing::before, Precision::bfloat16)->Apply(sizes);
BENCHMARK_TEMPLATE(packed_product, Packing::before, Precision::int8)->Apply(sizes);
BENCHMARK_TEMPLATE(packed_product, Packing::on_the_way, Precision::float32)->Apply(sizes);
BENCHMARK_TEMPLATE(packed_product, Packing::on_the_way, Precision::bfloat16)->Apply(sizes);

}  // namespace
}  // namespace softalign
