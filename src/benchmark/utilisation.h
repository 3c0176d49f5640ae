#pragma once

#include <vector>

#include "benchmark/training.h"

namespace softalign {

// Forward and backward, a target token. `parts`: those of work.
double flop_per_token(const TrainingWork& work, const std::vector<PartWork>& parts);

// What training reached of what the machine can do.
struct Utilisation {
    double gflops = 0.0;                   // of the rectangles' products, in the median round
    double of_peak = 0.0;                  // over the highest peak of as many threads
    double of_peak_without_padding = 0.0;  // the same of the products that true tokens need
};
Utilisation utilisation_of(const TrainingMeasurement& measured, const TrainingResults& results, const Peaks& peaks);

}  // namespace softalign
