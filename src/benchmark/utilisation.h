#pragma once

#include <vector>

#include "benchmark/training.h"

namespace softalign {

// Floating-point operations per target token, forward and backward. `parts`: those of `work`.
double flop_per_token(const TrainingWork& work, const std::vector<PartWork>& parts);

// How much of the machine's peak speed training reached.
struct Utilisation {
    double gflops = 0.0;                   // of the rectangles' products, in the median round
    double of_peak = 0.0;                  // relative to the highest peak with as many threads
    double of_peak_without_padding = 0.0;  // the same, counting only the products that true tokens need
};
Utilisation utilisation_of(const TrainingMeasurement& measured, const TrainingResults& results, const Peaks& peaks);

}  // namespace softalign
