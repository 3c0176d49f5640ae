#pragma once

#include <benchmark/benchmark.h>

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace softalign {

// What one thread of this machine can do, measured when it is first asked for.
struct Limits {
    double gflops = 0.0;                // float32 products of 1024^3
    double gigabytes_per_second = 0.0;  // sums of vectors that are far larger than the caches, read and written bytes
};
const Limits& limits();

// What one iteration does. Each addition, multiplication, exponential or hyperbolic tangent is one operation; bytes are
// those that must be read and written if everything is touched once.
struct Work {
    double flop = 0.0;
    double bytes = 0.0;
};

// Adds GFLOP and GB a second to the line of a benchmark, each with its share of the limit in percent (which Google
// Benchmark prints as a rate too, "%sgemm=56.5/s"). Call it after the loop. What fits into the caches may be above the
// limit of the memory.
void report(benchmark::State& state, const Work& work);

// Runs the forward pass of `function` without a graph in the loop of `state`.
void run_forward(benchmark::State& state, const std::function<at::Tensor()>& function);

// Runs its backward pass alone: the gradients of `inputs`, given one for its result.
void run_backward(benchmark::State& state, const std::function<at::Tensor()>& function,
                  const std::vector<at::Tensor>& inputs);

// N(0, 1) in float32, the same every time.
at::Tensor random(at::IntArrayRef sizes);

}  // namespace softalign
