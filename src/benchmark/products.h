#pragma once

#include <vector>

#include "data/batch.h"
#include "model/part.h"

namespace softalign {

class Peaks;
struct TrainingMeasurement;
struct TrainingResults;
struct TrainingWork;

// Each product of the forward pass has two in the backward pass, the gradients of its left and of its right factor,
// each as large as itself.
constexpr double backward_per_forward = 2.0;

double forward_sum(const std::vector<PartWork>& parts);

// Adds the same parts in the same order to those of `sum`, which may be empty.
void add_work(std::vector<PartWork>& sum, const std::vector<PartWork>& parts);

// A batch as the model sees it; and each of its sentences alone, without padding.
BatchShape shape_of(const Batch& batch);
std::vector<BatchShape> sentences_of(const Batch& batch);

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
