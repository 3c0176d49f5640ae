#include "benchmark/run_benchmark.h"

#include <memory>
#include <optional>
#include <vector>

#include "benchmark/scratch_run.h"
#include "config/load.h"
#include "platform/device.h"
#include "train/resolve.h"

namespace softalign {

namespace {

std::vector<int> worker_counts(const Config& config, const BenchmarkRequest& request) {
    if (!request.workers.empty()) {
        return request.workers;
    }
    const int configured = worker_count(config.runtime.workers, at::Device(at::kCPU));
    return configured == 1 ? std::vector<int>{1} : std::vector<int>{1, configured};
}

TrainingPlan training_plan(const BenchmarkRequest& request, const std::vector<int>& workers) {
    return {request.updates, request.warmup, request.rounds, workers};
}

}  // namespace

BenchmarkReport run_benchmark(const Config& given, const BenchmarkRequest& request) {
    require_cpu(given);
    const bool needs_run = request.training || request.model.empty();
    const Config config = needs_run ? resolve(given) : given;
    const std::vector<int> workers = worker_counts(config, request);
    const Precision precision = pick_precision(config.runtime.precision, at::Device(at::kCPU));
    TranslationPlan translation;
    if (request.translation) {
        translation.model = request.model;
        translation.sentences = sentences_to_translate(config, request);
        translation.rounds = request.rounds;
        translation.beams = request.beams;
        translation.workers = workers;
        translation.precision = precision;
    }
    BenchmarkReport report{request.config_name, precision, 0, 0, Peaks(workers), {}, {}, WeightsOf::given};
    std::optional<ScratchRun> run;
    std::shared_ptr<Seq2Seq> model;
    if (needs_run) {
        require_training_keys(config, request.config_name);
        run.emplace(config);
        model = run->new_model(config);
        report.source_pieces = run->data().sizes().source;
        report.target_pieces = run->data().sizes().target;
    }
    if (request.training) {
        report.training = measure_training(config, run->data(), *model, training_plan(request, workers), report.peaks);
    }
    if (request.translation) {
        if (request.model.empty()) {
            translation.model = run->write_model(config, *model);
            report.weights = request.training ? WeightsOf::trained : WeightsOf::initial;
        }
        report.translation = measure_translation(translation, report.peaks);
    }
    return report;
}

}  // namespace softalign
