#include "benchmark/utilisation.h"

#include <vector>

namespace softalign {

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
