#include "benchmark/products.h"

#include <cstddef>
#include <vector>

#include "base/grid.h"
#include "benchmark/measure.h"
#include "benchmark/training.h"

namespace softalign {

double forward_sum(const std::vector<PartWork>& parts) {
    double sum = 0.0;
    for (const PartWork& part : parts) {
        sum += part.forward;
    }
    return sum;
}

void add_work(std::vector<PartWork>& sum, const std::vector<PartWork>& parts) {
    if (sum.empty()) {
        sum = parts;
        return;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sum[i].forward += parts[i].forward;
    }
}

BatchShape shape_of(const Batch& batch) {
    return {batch.sentences, batch.source_width, batch.target_width, batch.target_tokens(), batch.grids};
}

std::vector<BatchShape> sentences_of(const Batch& batch) {
    std::vector<BatchShape> sentences;
    for (std::size_t b = 0; b < batch.source_lengths.size(); ++b) {
        const std::vector<Grid> grid(batch.grids.empty() ? 0 : 1, batch.grids.empty() ? Grid{} : batch.grids[b]);
        sentences.push_back({1, batch.source_lengths[b], batch.target_lengths[b], batch.target_lengths[b], grid});
    }
    return sentences;
}

double flop_per_token(const TrainingWork& work, const std::vector<PartWork>& parts) {
    return (1.0 + backward_per_forward) * forward_sum(parts) / static_cast<double>(work.target_tokens);
}

Utilisation utilisation_of(const TrainingMeasurement& measured, const TrainingResults& results, const Peaks& peaks) {
    const double tokens_per_second = measured.tokens_per_second.median();
    const double peak = peaks.highest(measured.workers);
    const double alone = flop_per_token(results.work, results.work.sentences_alone) * tokens_per_second * 1e-9;
    Utilisation reached;
    reached.gflops = flop_per_token(results.work, results.work.rectangles) * tokens_per_second * 1e-9;
    reached.of_peak = reached.gflops / peak;
    reached.of_peak_without_padding = alone / peak;
    return reached;
}

}  // namespace softalign
