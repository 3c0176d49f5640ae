#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/measure.h"
#include "benchmark/training.h"
#include "benchmark/translation.h"
#include "config/config.h"

namespace softalign {

struct BenchmarkRequest {
    std::string config_name;  // of the file, for the report and for messages
    bool training = true;
    bool translation = true;
    std::int64_t updates = 40;
    std::int64_t warmup = 5;
    std::int64_t rounds = 3;
    std::vector<int> workers;  // empty: 1, and the configuration's number if it differs
    std::vector<std::int64_t> beams{1, 5};
    std::string model;  // directory to translate with; empty = the weights of this run
    std::string input;  // text to translate; empty = the configuration's validation text
};

enum class WeightsOf { given, trained, initial };

struct BenchmarkReport {
    std::string config_name;
    Precision precision = Precision::float32;  // of the products that were measured, not of the peak
    std::int64_t source_pieces = 0;            // of the vocabularies used in training; 0 = no training
    std::int64_t target_pieces = 0;
    Peaks peaks;
    std::optional<TrainingResults> training;
    std::optional<TranslationResults> translation;
    WeightsOf weights = WeightsOf::given;  // used for translation
};

// Measures on the CPU. Writes only to a temporary directory, which it removes. The vocabularies are those of the
// configuration's model directory, or else trained anew; weights are initialised from training.seed.
// Throws Error: configuration for runtime.device: cuda or missing keys; data; model; internal if the program cannot be
// run as a command of its own.
BenchmarkReport run_benchmark(const Config& config, const BenchmarkRequest& request);

// The report as one JSON object on one line, without a line break; docs/benchmark.md describes it.
std::string to_json(const BenchmarkReport& report);

// The same as tables, for people to read.
std::string to_text(const BenchmarkReport& report);

}  // namespace softalign
