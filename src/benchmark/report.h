#pragma once

#include <string>

#include "benchmark/run_benchmark.h"

namespace softalign {

// The report as one JSON object on one line, without the line's end; docs/benchmark.md describes it.
std::string to_json(const BenchmarkReport& report);

// The same for people: tables.
std::string to_text(const BenchmarkReport& report);

}  // namespace softalign
