// Whole sequences: a GRU over a batch, and the output layer with its loss, each beside its plain form.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "limits.h"
#include "ops/loss.h"
#include "ops/packed_rows.h"
#include "ops/plain_forms.h"
#include "ops/recurrent.h"

namespace softalign {
namespace {

using benchmark::State;

enum class Form { fused, plain };

// 64 sentences of 8 to 20 tokens.
PackedRows sample_rows() {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 64; ++i) {
        lengths.push_back(8 + i * 7 % 13);
    }
    return pack_rows(lengths, 20, at::kCPU);
}

struct Gru {
    PackedRows rows = sample_rows();
    std::int64_t width;
    at::Tensor projected;
    at::Tensor weight;
    at::Tensor bias;

    explicit Gru(std::int64_t h)
        : width(h), projected(random({rows.total, 3 * h})), weight(random({3 * h, h})), bias(random({3 * h})) {}

    at::Tensor run(Form form) const {
        if (form == Form::fused) {
            return gru_sequence(projected, weight, bias, at::Tensor(), rows, Reading::forwards, plain_execution).states;
        }
        return gru_sequence_plain(projected, weight, bias, at::Tensor(), rows, Reading::forwards).states;
    }

    double flop() const { return 2.0 * static_cast<double>(rows.total * 3 * width * width); }
};

template <Form form>
void gru_sequence_forward(State& state) {
    const Gru gru(state.range(0));
    run_forward(state, [&] { return gru.run(form); });
    report(state, {gru.flop(), 4.0 * 4.0 * static_cast<double>(gru.rows.total * gru.width)});
}

template <Form form>
void gru_sequence_backward(State& state) {
    const Gru gru(state.range(0));
    run_backward(state, [&] { return gru.run(form); }, {gru.projected, gru.weight, gru.bias});
    report(state, {2.0 * gru.flop(), 4.0 * 12.0 * static_cast<double>(gru.rows.total * gru.width)});
}

// Both passes at once, for the fused form computes its gradients in the first.
template <Form form>
void output_layer(State& state) {
    const std::int64_t words = state.range(0);
    const std::int64_t size = state.range(1);
    const std::int64_t vocabulary = state.range(2);
    const at::Tensor readouts = random({words, size}).requires_grad_(true);
    const at::Tensor weight = random({vocabulary, size}).requires_grad_(true);
    const at::Tensor bias = random({vocabulary}).requires_grad_(true);
    const at::Tensor targets = at::arange(words, at::kLong).remainder(vocabulary);
    for (auto _ : state) {
        const CrossEntropy sums = form == Form::fused
                                      ? output_loss(readouts, weight, bias, targets, 0.1, plain_execution)
                                      : cross_entropy_plain(at::linear(readouts, weight, bias), targets, 0.1);
        sums.objective.backward();
    }
    report(state, {6.0 * static_cast<double>(words * size * vocabulary),
                   4.0 * static_cast<double>(3 * words * vocabulary + 4 * size * vocabulary)});
}

BENCHMARK_TEMPLATE(gru_sequence_forward, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(gru_sequence_forward, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(gru_sequence_backward, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(gru_sequence_backward, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(output_layer, Form::fused)->Args({900, 512, 8000})->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(output_layer, Form::plain)->Args({900, 512, 8000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softalign
