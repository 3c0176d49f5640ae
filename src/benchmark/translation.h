#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/precision.h"
#include "benchmark/measure.h"

namespace softalign {

struct TranslationPlan {
    std::string model;  // a model directory
    std::vector<std::string> sentences;
    std::int64_t rounds = 3;
    std::int64_t starts = 10;  // of the program, to measure the start-up time
    std::vector<std::int64_t> beams;
    std::vector<int> workers;
    Precision precision = Precision::float32;  // of the products
};

struct TranslationMeasurement {
    std::int64_t beam = 1;
    int workers = 1;
    std::int64_t tokens = 0;  // of the translations, end-of-sentence counted
    Samples sentences_per_second;
    Samples tokens_per_second;
    Samples speed_up;               // relative to the first number of workers, same beam and round
    double encode = 0.0;            // shares of the time, each measured separately: text to pieces,
    double detokenise = 0.0;        // pieces to text; the rest is the search
    double command_seconds = 0.0;   // of `softalign translate` on the same text, from start to end
    std::uint64_t peak_memory = 0;  // peak resident memory of that process, in bytes
};

struct TranslationResults {
    TranslationPlan plan;
    std::vector<TranslationMeasurement> measurements;  // by beam, then by workers
    Samples start_up;  // seconds from the start of `softalign translate` to the first translation of one line
};

// Loads the model and translates the sentences with each beam and number of workers in each round; measures the
// machine's peak before, between and after the rounds. Logs each measurement. The command is not run. Throws
// Error(model).
std::vector<TranslationMeasurement> measure_searches(const TranslationPlan& plan, Peaks& peaks);

// measure_searches(), and then the program itself to measure its memory and start-up. Throws Error(internal) if the
// program cannot be run.
TranslationResults measure_translation(const TranslationPlan& plan, Peaks& peaks);

}  // namespace softalign
