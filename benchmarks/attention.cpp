// One target step of every mechanism, without a graph: 64 sentences of 16 positions, all widths 512.
#include "model/attention/attention.h"

#include <cstdint>
#include "limits.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

void attend(benchmark::State& state, const AttentionConfig& config) {
    constexpr std::int64_t batch = 64;
    constexpr std::int64_t length = 16;
    constexpr std::int64_t width = 512;
    const at::NoGradGuard no_gradients;
    const auto attention = make_attention(config, width, width);
    for (at::Tensor& parameter : attention->parameters()) {
        parameter.set_data(random(parameter.sizes()).mul_(0.05));
    }
    Encoded encoded;
    encoded.annotations = random({batch, length, width});
    encoded.lengths.assign(batch, length);
    encoded.mask = at::ones({batch, length}, at::kBool);
    encoded.summary.last = random({batch, width});
    const AttentionMemory memory = attention->prepare(encoded, plain_execution);
    const at::Tensor query = random({batch, 1, width});
    for (auto _ : state) {
        AttentionState step;
        benchmark::DoNotOptimize(
            attention->attend(query, memory, step, Weights::unwanted, plain_execution).context.data_ptr());
    }
    report(state, {0.0, 4.0 * static_cast<double>(batch * length * width)});  // the annotations read once
}

AttentionConfig config_of(AttentionType type, CoverageType coverage = CoverageType::none) {
    AttentionConfig config;
    config.type = type;
    config.coverage = coverage;
    return config;
}

BENCHMARK_CAPTURE(attend, additive, config_of(AttentionType::additive));
BENCHMARK_CAPTURE(attend, coverage, config_of(AttentionType::additive, CoverageType::sum));
BENCHMARK_CAPTURE(attend, dot, config_of(AttentionType::dot));
BENCHMARK_CAPTURE(attend, general, config_of(AttentionType::general));
BENCHMARK_CAPTURE(attend, concat, config_of(AttentionType::concat));
BENCHMARK_CAPTURE(attend, location, config_of(AttentionType::location));
BENCHMARK_CAPTURE(attend, local_m, config_of(AttentionType::local_m));
BENCHMARK_CAPTURE(attend, local_p, config_of(AttentionType::local_p));
BENCHMARK_CAPTURE(attend, scaled_dot, config_of(AttentionType::scaled_dot));
BENCHMARK_CAPTURE(attend, multi_head, config_of(AttentionType::multi_head));
BENCHMARK_CAPTURE(attend, multi_query, config_of(AttentionType::multi_query));
BENCHMARK_CAPTURE(attend, grouped_query, config_of(AttentionType::grouped_query));

}  // namespace
}  // namespace softalign
