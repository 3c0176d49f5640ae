// BLEU with each of its tokenizers, on lines of Multi30k's length.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/evaluation.h"

namespace softalign {
namespace {

std::vector<std::string> lines(int changed) {
    std::vector<std::string> text;
    for (int i = 0; i < 1000; ++i) {
        text.push_back("Ein Mann mit Hut " + std::to_string(i % 17) + ", der \"Zeitung\" liest, sitzt auf Bank Nr. " +
                       std::to_string(i % changed) + " im Park.");
    }
    return text;
}

void bleu(benchmark::State& state, const char* tokenizer) {
    const std::vector<std::string> hypotheses = lines(7);
    const std::vector<std::vector<std::string>> references = {lines(11)};
    EvaluationRequest request;
    request.tokenize = tokenizer;
    const BleuOptions options = bleu_options(request);
    for (auto _ : state) {
        benchmark::DoNotOptimize(corpus_bleu(hypotheses, references, options).score);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * hypotheses.size()));
}

BENCHMARK_CAPTURE(bleu, none, "none")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bleu, 13a, "13a")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bleu, intl, "intl")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bleu, char, "char")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softalign
