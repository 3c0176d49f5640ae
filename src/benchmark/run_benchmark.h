#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmark/peaks.h"
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
    std::vector<int> workers;  // none: 1, and what the configuration says where that is another number
    std::vector<std::int64_t> beams{1, 5};
    std::string model;  // directory to translate with; empty = the weights of this run
    std::string input;  // text to translate; empty = the configuration's validation text
};

enum class WeightsOf { given, trained, initial };

struct BenchmarkReport {
    std::string config_name;
    Precision precision = Precision::float32;  // of the products that were measured, not of the peak
    std::int64_t source_pieces = 0;            // of the vocabularies that were trained with; 0 = nothing was
    std::int64_t target_pieces = 0;
    Peaks peaks;
    std::optional<TrainingResults> training;
    std::optional<TranslationResults> translation;
    WeightsOf weights = WeightsOf::given;  // that were translated with
};

// Measures on the CPU, and writes to a temporary directory alone, which it removes: vocabularies are those of the
// config's model directory or else trained anew, weights start from training.seed.
// Throws Error(configuration): runtime.device: cuda, keys missing that are needed; data, model; internal where the
// program cannot be run as a command of its own.
BenchmarkReport run_benchmark(const Config& config, const BenchmarkRequest& request);

}  // namespace softalign
