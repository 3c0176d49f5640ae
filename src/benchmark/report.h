#pragma once

#include <string>

#include "benchmark/run_benchmark.h"

namespace softalign {

// The report as one JSON object on one line, without a line break; docs/benchmark.md describes it.
std::string to_json(const BenchmarkReport& report);

// The same as tables, for people to read.
std::string to_text(const BenchmarkReport& report);

}  // namespace softalign
