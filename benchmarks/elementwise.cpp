// The loops that are fused by hand, each beside its plain form: additive scores, the gates of a GRU, the loss.
#include <cstdint>

#include "limits.h"
#include "ops/attention.h"
#include "ops/loss.h"
#include "ops/plain_forms.h"
#include "ops/recurrent.h"

namespace softalign {
namespace {

using benchmark::State;

enum class Form { fused, plain };
enum class Pass { forward, backward };

// One target step of B sentences of S positions: [B,1,A] against [B,S,A].
template <Form form, Pass pass>
void scores(State& state) {
    const std::int64_t batch = state.range(0);
    const std::int64_t length = state.range(1);
    const std::int64_t width = state.range(2);
    const at::Tensor queries = random({batch, 1, width});
    const at::Tensor keys = random({batch, length, width});
    const at::Tensor v = random({1, width});
    const auto function = [&] {
        return form == Form::fused ? tanh_scores(queries, keys, v) : tanh_scores_plain(queries, keys, v);
    };
    const auto elements = static_cast<double>(batch * length * width);
    if (pass == Pass::forward) {
        run_forward(state, function);
        report(state, {4.0 * elements, 4.0 * elements});  // add, tanh, times v, sum; the keys read
    } else {
        run_backward(state, function, {queries, keys, v});
        report(state, {10.0 * elements, 12.0 * elements});  // with the tanh again; keys read, their gradient changed
    }
}

template <Form form, Pass pass>
void gates(State& state) {
    const std::int64_t rows = state.range(0);
    const std::int64_t width = state.range(1);
    const at::Tensor projected = random({rows, 3 * width});
    const at::Tensor recurrent = random({rows, 3 * width});
    const at::Tensor hidden = random({rows, width});
    const auto function = [&] {
        return form == Form::fused ? gru_gates(projected, recurrent, hidden)
                                   : gru_gates_plain(projected, recurrent, hidden);
    };
    const auto elements = static_cast<double>(rows * width);
    if (pass == Pass::forward) {
        run_forward(state, function);
        report(state, {15.0 * elements, 4.0 * 8.0 * elements});  // seven numbers read, one written
    } else {
        run_backward(state, function, {projected, recurrent, hidden});
        report(state, {20.0 * elements, 4.0 * 13.0 * elements});  // six read, seven written
    }
}

template <Form form, Pass pass>
void loss(State& state) {
    const std::int64_t rows = state.range(0);
    const std::int64_t words = state.range(1);
    const at::Tensor logits = random({rows, words});
    const at::Tensor targets = at::arange(rows, at::kLong).remainder(words);
    const auto function = [&] {
        const CrossEntropy sums =
            form == Form::fused ? cross_entropy(logits, targets, 0.1) : cross_entropy_plain(logits, targets, 0.1);
        return sums.objective;
    };
    const auto elements = static_cast<double>(rows * words);
    if (pass == Pass::forward) {
        run_forward(state, function);
        report(state, {4.0 * elements, 4.0 * elements});  // largest, minus it, exp, sum; the logits read
    } else {
        run_backward(state, function, {logits});
        report(state, {4.0 * elements, 8.0 * elements});  // minus, exp, minus, times; logits read, gradient written
    }
}

#define SOFTALIGN_BENCHMARK(function, ...)                                 \
    BENCHMARK_TEMPLATE(function, Form::fused, Pass::forward) __VA_ARGS__;  \
    BENCHMARK_TEMPLATE(function, Form::plain, Pass::forward) __VA_ARGS__;  \
    BENCHMARK_TEMPLATE(function, Form::fused, Pass::backward) __VA_ARGS__; \
    BENCHMARK_TEMPLATE(function, Form::plain, Pass::backward) __VA_ARGS__

SOFTALIGN_BENCHMARK(scores, ->Args({64, 16, 256})->Args({64, 16, 512}));
SOFTALIGN_BENCHMARK(gates, ->Args({64, 256})->Args({64, 512}));
SOFTALIGN_BENCHMARK(loss, ->Args({512, 8000})->Unit(benchmark::kMicrosecond));

}  // namespace
}  // namespace softalign
