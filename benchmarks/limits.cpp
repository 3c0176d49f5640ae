#include "limits.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <vector>

#include "platform/blas.h"

namespace softalign {

namespace {

// By the processor's time, as all rates here are: what others do on the machine counts less.
double thread_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double measure_memory() {
    constexpr std::int64_t size = std::int64_t{1} << 25;
    const at::Tensor a = at::ones({size});
    const at::Tensor b = at::ones({size});
    at::Tensor sum = at::add(a, b);
    double best = 0.0;
    for (int run = 0; run < 5; ++run) {
        const double start = thread_seconds();
        at::add_out(sum, a, b);
        const double seconds = thread_seconds() - start;
        best = std::max(best, 3.0 * sizeof(float) * static_cast<double>(size) / seconds * 1e-9);
    }
    return best;
}

}  // namespace

const Limits& limits() {
    static const Limits measured{measure_sgemm(1024), measure_memory()};
    return measured;
}

void report(benchmark::State& state, const Work& work) {
    using benchmark::Counter;
    const auto iterations = static_cast<double>(state.iterations());
    const auto rate = [&](const char* name, const char* share, double amount, double limit) {
        if (amount > 0.0) {
            state.counters[name] = Counter(amount * iterations * 1e-9, Counter::kIsRate);
            state.counters[share] = Counter(amount * iterations * 1e-9 / limit * 100.0, Counter::kIsRate);
        }
    };
    rate("GFLOP", "%sgemm", work.flop, limits().gflops);
    rate("GB", "%memory", work.bytes, limits().gigabytes_per_second);
}

void run_forward(benchmark::State& state, const std::function<at::Tensor()>& function) {
    const at::NoGradGuard no_gradients;
    for (auto _ : state) {
        benchmark::DoNotOptimize(function().data_ptr());
    }
}

void run_backward(benchmark::State& state, const std::function<at::Tensor()>& function,
                  const std::vector<at::Tensor>& inputs) {
    for (const at::Tensor& input : inputs) {
        input.requires_grad_(true);
    }
    const at::Tensor result = function();
    const at::Tensor gradient = at::ones_like(result);
    for (auto _ : state) {
        benchmark::DoNotOptimize(torch::autograd::grad({result}, inputs, {gradient}, true));
    }
}

at::Tensor random(at::IntArrayRef sizes) {
    at::manual_seed(1);
    return at::randn(sizes);
}

}  // namespace softalign
