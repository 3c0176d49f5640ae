#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/measure.h"
#include "benchmark/run_benchmark.h"
#include "benchmark/training.h"
#include "benchmark/translation.h"
#include "config/config.h"

namespace softalign {

// One of the structures that are compared: keys of the configuration, as --set has them.
struct FamilyMember {
    std::string name;
    std::vector<std::string> settings;  // on top of family_base()
};

// What every member begins with, so that the structure of the configuration itself does not matter; its sizes do.
const std::vector<std::string>& family_base();
const std::vector<FamilyMember>& family();

struct FamilyResult {
    FamilyMember member;
    TrainingResults training;  // without measurements where training was not asked for; else one, of all rounds
    Samples relative;          // its tokens/s, to those of the first member in the same round
    std::vector<TranslationMeasurement> translation;  // by beam
};

struct FamilyReport {
    std::string config_name;
    Precision precision = Precision::float32;
    int workers = 1;
    std::size_t sentences = 0;  // translated
    Peaks peaks;
    std::vector<FamilyResult> results;
};

// Measures the members in turns, in each round. Weights are random, so translations are made as long as their sources.
// `members`: those whose configuration is possible, with it. Throws like run_benchmark(), and Error(usage) where
// several numbers of workers, or a model, are asked for.
FamilyReport run_family(const std::vector<std::pair<FamilyMember, Config>>& members, const BenchmarkRequest& request);

// The report as one JSON object on one line, and as a table.
std::string to_json(const FamilyReport& report);
std::string to_text(const FamilyReport& report);

}  // namespace softalign
