// Attention with heads: flash attention, its plain form and, from version 2 on, LibTorch's own; time of the forward
// pass and of both, and the memory that a call adds at its peak.
#include "ops/heads_attention.h"

#include <ATen/ATen.h>
#include <malloc.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <ios>
#include <limits>
#include <string>
#include <vector>

#include "limits.h"

namespace softalign {
namespace {

using benchmark::State;

enum class Form { fused, plain, libtorch };  // the last from LibTorch 2 on
enum class Passes { forward, both };

// In KiB, from /proc/self/status; 0 where there is none.
std::int64_t memory_status(const std::string& key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word == key) {
            std::int64_t value = 0;
            status >> value;
            return value;
        }
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

// What the process had more at the peak of one call than before it, in MiB.
double peak_memory(const std::function<void()>& call) {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    const std::int64_t before = memory_status("VmRSS:");
    call();
    return static_cast<double>(memory_status("VmHWM:") - before) / 1024.0;
}

// `count` sequences of `queries` and `keys` rows; `sharing` neighbours have the same keys.
struct Case {
    Case(std::int64_t count, std::int64_t queries, std::int64_t keys, const HeadsForm& given, std::int64_t width,
         std::int64_t sharing = 1)
        : form(given) {
        for (std::int64_t i = 0; i < count; ++i) {
            sequences.query_begin.push_back(i * queries);
            sequences.query_length.push_back(queries);
            sequences.key_begin.push_back(i / sharing * keys);
            sequences.key_length.push_back(keys);
        }
        q = random({count * queries, form.heads * width});
        k = random({(count + sharing - 1) / sharing * keys, form.groups * width});
        v = random(k.sizes());
        const double pairs = static_cast<double>(count) * static_cast<double>(queries) *
                             (form.causal ? static_cast<double>(keys + 1) / 2.0 : static_cast<double>(keys));
        flop = 4.0 * pairs * static_cast<double>(form.heads * width);
    }

    at::Tensor run(Form which) const {
        switch (which) {
            case Form::fused:
                return heads_attention(q, k, v, sequences, form, nullptr);
            case Form::plain:
                return heads_attention_plain(q, k, v, sequences, form, nullptr);
            case Form::libtorch:
                break;
        }
        return libtorch();
    }

    // For sequences of one length that share no keys. REQUIRES: as many groups as heads.
    at::Tensor libtorch() const {
#if TORCH_VERSION_MAJOR >= 2
        const auto count = static_cast<std::int64_t>(sequences.query_begin.size());
        const auto split = [&](const at::Tensor& x) {
            return x.view({count, -1, form.heads, x.size(1) / form.heads}).transpose(1, 2);
        };
        return at::scaled_dot_product_attention(split(q), split(k), split(v), {}, 0.0, form.causal);
#else
        return at::Tensor();
#endif
    }

    HeadsForm form;
    Sequences sequences;
    at::Tensor q;
    at::Tensor k;
    at::Tensor v;
    double flop = 0.0;  // of the forward pass
};

void measure(State& state, const Case& given, Form form, Passes passes) {
    const std::vector<at::Tensor> inputs = {given.q, given.k, given.v};
    for (const at::Tensor& input : inputs) {
        input.requires_grad_(passes == Passes::both);
    }
    const auto call = [&] {
        const at::AutoGradMode gradients(passes == Passes::both);
        const at::Tensor result = given.run(form);
        if (passes == Passes::both) {
            benchmark::DoNotOptimize(torch::autograd::grad({result}, inputs, {at::ones_like(result)}));
        }
        benchmark::DoNotOptimize(result.data_ptr());
    };
    const double peak = peak_memory(call);
    for (auto _ : state) {
        call();
    }
    // Seven products in both passes together, of which the forward pass has two.
    report(state, {passes == Passes::both ? 3.5 * given.flop : given.flop, 0.0});
    state.counters["MiB"] = peak;
}

// One sequence of `state.range(0)` positions, two heads of 64.
template <Form form, Passes passes>
void long_attention(State& state) {
    const std::int64_t length = state.range(0);
    measure(state, Case(1, length, length, {2, 2, state.range(1) != 0, 0.0}, 64), form, passes);
}

// A batch in training: 64 sentences of 15 words, eight heads of 32, two or eight key heads.
template <Form form, Passes passes>
void batch_attention(State& state) {
    measure(state, Case(64, 15, 15, {8, state.range(0), state.range(1) != 0, 0.0}, 32), form, passes);
}

// A step of a search: five hypotheses of each of 64 sentences, against 15 source words that they share, or as many
// target words of their own.
template <Form form>
void search_attention(State& state) {
    measure(state, Case(320, 1, 15, {8, state.range(0), false, 0.0}, 32, state.range(1)), form, Passes::forward);
}

void lengths(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"length", "causal"})->Unit(benchmark::kMillisecond);
    for (std::int64_t length = 64; length <= 8192; length *= 2) {
        benchmark->Args({length, 0});
    }
    benchmark->Args({1024, 1});
}

void batches(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"groups", "causal"})->Args({8, 0})->Args({8, 1})->Args({2, 0})->Unit(benchmark::kMicrosecond);
}

void steps(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"groups", "sharing"})->Args({8, 5})->Args({8, 1})->Args({2, 1})->Unit(benchmark::kMicrosecond);
}

BENCHMARK_TEMPLATE(long_attention, Form::fused, Passes::forward)->Apply(lengths);
BENCHMARK_TEMPLATE(long_attention, Form::plain, Passes::forward)->Apply(lengths);
BENCHMARK_TEMPLATE(long_attention, Form::fused, Passes::both)->Apply(lengths);
BENCHMARK_TEMPLATE(long_attention, Form::plain, Passes::both)->Apply(lengths);
#if TORCH_VERSION_MAJOR >= 2
BENCHMARK_TEMPLATE(long_attention, Form::libtorch, Passes::forward)->Apply(lengths);
BENCHMARK_TEMPLATE(long_attention, Form::libtorch, Passes::both)->Apply(lengths);
#endif
BENCHMARK_TEMPLATE(batch_attention, Form::fused, Passes::forward)->Apply(batches);
BENCHMARK_TEMPLATE(batch_attention, Form::plain, Passes::forward)->Apply(batches);
BENCHMARK_TEMPLATE(batch_attention, Form::fused, Passes::both)->Apply(batches);
BENCHMARK_TEMPLATE(batch_attention, Form::plain, Passes::both)->Apply(batches);
BENCHMARK_TEMPLATE(search_attention, Form::fused)->Apply(steps);
BENCHMARK_TEMPLATE(search_attention, Form::plain)->Apply(steps);

}  // namespace
}  // namespace softalign
