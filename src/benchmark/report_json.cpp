#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

#include "base/strings.h"
#include "base/version.h"
#include "benchmark/family.h"
#include "benchmark/products.h"
#include "benchmark/run_benchmark.h"
#include "platform/blas.h"
#include "platform/device.h"
#include "platform/processor.h"

namespace softalign {

namespace {

using Json = nlohmann::ordered_json;

Json spread(const Samples& samples) {
    return {{"median", samples.median()},
            {"min", samples.lowest()},
            {"max", samples.highest()},
            {"measured", samples.values()}};
}

Json machine() {
    const BlasInfo blas = blas_info();
    return {{"processor", processor_name()},
            {"physical_cores", physical_cores()},
            {"libtorch", libtorch_version()},
            {"blas", blas.name},
            {"kernels", blas.kernels}};
}

Json peaks_of(const Peaks& peaks) {
    Json threads = Json::array();
    for (const auto& [count, samples] : peaks.gflops()) {
        threads.push_back({{"threads", count}, {"gflops", spread(samples)}});
    }
    return {{"product", {Peaks::size, Peaks::size, Peaks::size}}, {"measurements", threads}};
}

Json shares_of(const TrainingShares& shares) {
    return {
        {"data", shares.data},
        {"forward_backward", shares.shards},
        {"reduction", shares.reduction},
        {"update", shares.update},
        {"rest", shares.rest},
        {"of_forward_backward", {{"forward", shares.forward}, {"backward", shares.backward}, {"idle", shares.idle}}}};
}

Json work_of(const TrainingWork& work) {
    Json parts = Json::array();
    for (std::size_t i = 0; i < work.rectangles.size(); ++i) {
        const auto tokens = static_cast<double>(work.target_tokens);
        const double forward = work.rectangles[i].forward / tokens;
        parts.push_back({{"part", work.rectangles[i].name},
                         {"forward", forward},
                         {"backward", backward_per_forward * forward},
                         {"forward_without_padding", work.sentences_alone[i].forward / tokens}});
    }
    return {{"per_target_token", flop_per_token(work, work.rectangles)},
            {"per_target_token_without_padding", flop_per_token(work, work.sentences_alone)},
            {"parts", parts}};
}

Json measurement_of(const TrainingMeasurement& measured, const TrainingResults& results, const Peaks& peaks) {
    const Utilisation reached = utilisation_of(measured, results, peaks);
    return {{"workers", measured.workers},
            {"tokens_per_second", spread(measured.tokens_per_second)},
            {"seconds_per_update", spread(measured.seconds_per_update)},
            {"speed_up", spread(measured.speed_up)},
            {"shares", shares_of(measured.shares)},
            {"gflops", reached.gflops},
            {"utilisation", reached.of_peak},
            {"utilisation_without_padding", reached.of_peak_without_padding}};
}

Json training_of(const TrainingResults& results, const Peaks& peaks) {
    Json measurements = Json::array();
    for (const TrainingMeasurement& measured : results.measurements) {
        measurements.push_back(measurement_of(measured, results, peaks));
    }
    const TrainingWork& work = results.work;
    return {{"parameters", results.parameters},
            {"updates", results.plan.updates},
            {"warmup", results.plan.warmup},
            {"rounds", results.plan.rounds},
            {"sentences", work.sentences},
            {"source_tokens", work.source_tokens},
            {"target_tokens", work.target_tokens},
            {"padding", {{"source", work.source_padding()}, {"target", work.target_padding()}}},
            {"flop", work_of(work)},
            {"measurements", measurements},
            {"updates_not_finite", results.bad_updates},
            {"peak_memory_bytes", results.peak_memory}};
}

const char* name_of(WeightsOf weights) {
    return weights == WeightsOf::given ? "given" : weights == WeightsOf::trained ? "trained here" : "initial";
}

Json translation_of(const TranslationResults& results, WeightsOf weights) {
    Json measurements = Json::array();
    for (const TranslationMeasurement& measured : results.measurements) {
        measurements.push_back(
            {{"beam", measured.beam},
             {"workers", measured.workers},
             {"sentences_per_second", spread(measured.sentences_per_second)},
             {"tokens_per_second", spread(measured.tokens_per_second)},
             {"tokens", measured.tokens},
             {"speed_up", spread(measured.speed_up)},
             {"shares",
              {{"encode", measured.encode},
               {"search", 1.0 - measured.encode - measured.detokenise},
               {"detokenise", measured.detokenise}}},
             {"command", {{"seconds", measured.command_seconds}, {"peak_memory_bytes", measured.peak_memory}}}});
    }
    return {{"weights", name_of(weights)},
            {"model", weights == WeightsOf::given ? Json(results.plan.model) : Json()},
            {"sentences", results.plan.sentences.size()},
            {"rounds", results.plan.rounds},
            {"measurements", measurements},
            {"start_up_seconds", spread(results.start_up)}};
}

Json family_result_of(const FamilyResult& result, const Peaks& peaks) {
    Json json{{"name", result.member.name}, {"settings", result.member.settings}};
    if (!result.training.measurements.empty()) {
        json["training"] = training_of(result.training, peaks);
        json["relative"] = spread(result.relative);
    }
    for (const TranslationMeasurement& measured : result.translation) {
        json["translation"].push_back({{"beam", measured.beam},
                                       {"sentences_per_second", spread(measured.sentences_per_second)},
                                       {"tokens_per_second", spread(measured.tokens_per_second)},
                                       {"tokens", measured.tokens}});
    }
    return json;
}

template <typename Report>
Json heading_of(const Report& report) {
    return {{"softalign", version()},
            {"config", report.config_name},
            {"machine", machine()},
            {"precision", name_of(report.precision)},
            {"peak", peaks_of(report.peaks)}};
}

}  // namespace

std::string to_json(const FamilyReport& report) {
    Json json = heading_of(report);
    json["workers"] = report.workers;
    json["base"] = family_base();
    for (const FamilyResult& result : report.results) {
        json["all"].push_back(family_result_of(result, report.peaks));
    }
    return json_text(json);
}

std::string to_json(const BenchmarkReport& report) {
    Json json = heading_of(report);
    if (report.source_pieces > 0) {
        json["vocabulary"] = {{"source", report.source_pieces}, {"target", report.target_pieces}};
    }
    if (report.training) {
        json["training"] = training_of(*report.training, report.peaks);
    }
    if (report.translation) {
        json["translation"] = translation_of(*report.translation, report.weights);
    }
    return json_text(json);
}

}  // namespace softalign
