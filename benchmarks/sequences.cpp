// Whole sequences: a recurrent unit over a batch, and the output layer with its loss, each beside its plain form.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "limits.h"
#include "ops/loss.h"
#include "ops/packed_rows.h"
#include "ops/plain_execution.h"
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

template <UnitType type>
struct UnitOverTime {
    PackedRows rows = sample_rows();
    std::int64_t width;
    std::int64_t gates;
    at::Tensor projected;
    UnitWeights weights;

    explicit UnitOverTime(std::int64_t h)
        : width(h), gates(type == UnitType::lstm ? 4 : 3), projected(random({rows.total, gates * h})) {
        weights.weight = random({gates * h, h});
        weights.bias = type == UnitType::gru_cho ? at::Tensor() : random({gates * h});
    }

    at::Tensor run(Form form) const {
        const UnitSequence sequence{type, projected, weights, {}};
        return form == Form::fused ? unit_sequence(sequence, rows, Reading::forwards, plain_execution).states
                                   : unit_sequence_plain(sequence, rows, Reading::forwards).states;
    }

    std::vector<at::Tensor> inputs() const {
        return weights.bias.defined() ? std::vector<at::Tensor>{projected, weights.weight, weights.bias}
                                      : std::vector<at::Tensor>{projected, weights.weight};
    }
    double flop() const { return 2.0 * static_cast<double>(rows.total * gates * width * width); }
    double bytes(double numbers) const { return numbers * 4.0 * static_cast<double>(rows.total * width); }
};

template <UnitType type, Form form>
void sequence_forward(State& state) {
    const UnitOverTime<type> unit(state.range(0));
    run_forward(state, [&] { return unit.run(form); });
    report(state, {unit.flop(), unit.bytes(4.0)});
}

template <UnitType type, Form form>
void sequence_backward(State& state) {
    const UnitOverTime<type> unit(state.range(0));
    run_backward(
        state, [&] { return unit.run(form); }, unit.inputs());
    report(state, {2.0 * unit.flop(), unit.bytes(12.0)});
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
                                      ? output_loss(readouts, {weight, bias}, targets, 0.1, plain_execution)
                                      : cross_entropy_plain(at::linear(readouts, weight, bias), targets, 0.1);
        sums.objective.backward();
    }
    report(state, {6.0 * static_cast<double>(words * size * vocabulary),
                   4.0 * static_cast<double>(3 * words * vocabulary + 4 * size * vocabulary)});
}

BENCHMARK_TEMPLATE(sequence_forward, UnitType::gru, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_forward, UnitType::gru, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_backward, UnitType::gru, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_backward, UnitType::gru, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_forward, UnitType::gru_cho, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_forward, UnitType::gru_cho, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_backward, UnitType::gru_cho, Form::fused)
    ->Arg(256)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_backward, UnitType::gru_cho, Form::plain)
    ->Arg(256)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_forward, UnitType::lstm, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_forward, UnitType::lstm, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_backward, UnitType::lstm, Form::fused)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(sequence_backward, UnitType::lstm, Form::plain)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(output_layer, Form::fused)->Args({900, 512, 8000})->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(output_layer, Form::plain)->Args({900, 512, 8000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softalign
