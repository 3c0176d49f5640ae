#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/version.h"
#include "benchmark/family.h"
#include "benchmark/products.h"
#include "benchmark/run_benchmark.h"
#include "platform/blas.h"
#include "platform/device.h"
#include "platform/processor.h"

namespace softalign {

namespace {

double percent(double share) {
    return 100.0 * share;
}

template <typename Report>
std::string machine_text(const Report& report) {
    const BlasInfo blas = blas_info();
    return fmt::format("softalign {}: {}\n{}, {} physical cores; {}{}{}; LibTorch {}; {}\n", version(),
                       report.config_name, processor_name(), physical_cores(), blas.name,
                       blas.kernels.empty() ? "" : ", ", blas.kernels, libtorch_version(), name_of(report.precision));
}

std::string peaks_text(const Peaks& peaks) {
    std::string text = fmt::format("\nsgemm peak, {0} x {0} x {0}, GFLOP/s\n", Peaks::size);
    for (const auto& [threads, samples] : peaks.gflops()) {
        text += fmt::format("  {:>2} thread{}  highest {:.1f}  median {:.1f}  lowest {:.1f}  ({} measurements)\n",
                            threads, threads == 1 ? " " : "s", samples.highest(), samples.median(), samples.lowest(),
                            samples.values().size());
    }
    return text;
}

std::string work_text(const TrainingResults& results) {
    const TrainingWork& work = results.work;
    std::string text = fmt::format(
        "\ntraining: {} parameters; {} rounds of {} updates after {}: {} sentences, {} source and {} target tokens\n"
        "  padding: {:.1f} % of the source, {:.1f} % of the target\n",
        results.parameters, results.plan.rounds, results.plan.updates, results.plan.warmup, work.sentences,
        work.source_tokens, work.target_tokens, percent(work.source_padding()), percent(work.target_padding()));
    text += fmt::format("\n  {:<24}{:>14}{:>14}{:>10}\n", "MFLOP a token", "forward", "backward", "share");
    const double sum = forward_sum(work.rectangles);
    for (const PartWork& part : work.rectangles) {
        const double forward = part.forward / static_cast<double>(work.target_tokens) * 1e-6;
        text += fmt::format("  {:<24}{:>14.3f}{:>14.3f}{:>8.1f} %\n", part.name, forward,
                            backward_per_forward * forward, percent(part.forward / sum));
    }
    return text + fmt::format("  all {:.3f}; of true tokens alone {:.3f}\n",
                              flop_per_token(work, work.rectangles) * 1e-6,
                              flop_per_token(work, work.sentences_alone) * 1e-6);
}

std::string training_text(const TrainingResults& results, const Peaks& peaks) {
    std::string text = work_text(results);
    text += fmt::format("\n  {:>7}{:>12}{:>26}{:>10}{:>10}{:>9}{:>11}{:>14}\n", "workers", "tokens/s",
                        "s/update (min - max)", "speed-up", "GFLOP/s", "of peak", "w/o pads", "peak GFLOP/s");
    for (const TrainingMeasurement& measured : results.measurements) {
        const Utilisation reached = utilisation_of(measured, results, peaks);
        const Samples& seconds = measured.seconds_per_update;
        text +=
            fmt::format("  {:>7}{:>12.0f}{:>26}{:>10.2f}{:>10.1f}{:>7.1f} %{:>9.1f} %{:>14.1f}\n", measured.workers,
                        measured.tokens_per_second.median(),
                        fmt::format("{:.4f} ({:.4f} - {:.4f})", seconds.median(), seconds.lowest(), seconds.highest()),
                        measured.speed_up.median(), reached.gflops, percent(reached.of_peak),
                        percent(reached.of_peak_without_padding), peaks.highest(measured.workers));
    }
    text += fmt::format("\n  {:>7}{:>10}{:>20}{:>12}{:>10}{:>8}   of forward+backward: {:>9}{:>10}{:>8}\n", "workers",
                        "data", "forward+backward", "reduction", "update", "rest", "forward", "backward", "idle");
    for (const TrainingMeasurement& measured : results.measurements) {
        const TrainingShares& s = measured.shares;
        text +=
            fmt::format("  {:>7}{:>8.1f} %{:>18.1f} %{:>10.1f} %{:>8.1f} %{:>6.1f} %{:>33.1f} %{:>8.1f} %{:>6.1f} %\n",
                        measured.workers, percent(s.data), percent(s.shards), percent(s.reduction), percent(s.update),
                        percent(s.rest), percent(s.forward), percent(s.backward), percent(s.idle));
    }
    if (results.bad_updates > 0) {
        text += fmt::format("  {} updates had a gradient that is not finite\n", results.bad_updates);
    }
    return text + fmt::format("\n  peak memory {:.0f} MiB\n", mebibytes(results.peak_memory));
}

std::string weights_text(const BenchmarkReport& report) {
    switch (report.weights) {
        case WeightsOf::given:
            return report.translation->plan.model;
        case WeightsOf::trained:
            return "the weights after the updates above, which produce no sensible text";
        case WeightsOf::initial:
            break;
    }
    return "initial weights, which produce no sensible text";
}

std::string translation_text(const BenchmarkReport& report) {
    const TranslationResults& results = *report.translation;
    std::string text = fmt::format("\ntranslation: {} sentences in {} rounds by {}\n\n", results.plan.sentences.size(),
                                   results.plan.rounds, weights_text(report));
    text += fmt::format("  {:>4}{:>9}{:>32}{:>12}{:>10}{:>10}{:>10}{:>13}{:>12}{:>12}\n", "beam", "workers",
                        "sentences/s (min - max)", "tokens/s", "speed-up", "encode", "search", "detokenise", "command",
                        "memory");
    for (const TranslationMeasurement& measured : results.measurements) {
        const Samples& rate = measured.sentences_per_second;
        text +=
            fmt::format("  {:>4}{:>9}{:>32}{:>12.0f}{:>10.2f}{:>8.1f} %{:>8.1f} %{:>11.1f} %{:>10.2f} s{:>8.0f} MiB\n",
                        measured.beam, measured.workers,
                        fmt::format("{:.1f} ({:.1f} - {:.1f})", rate.median(), rate.lowest(), rate.highest()),
                        measured.tokens_per_second.median(), measured.speed_up.median(), percent(measured.encode),
                        percent(1.0 - measured.encode - measured.detokenise), percent(measured.detokenise),
                        measured.command_seconds, mebibytes(measured.peak_memory));
    }
    return text + fmt::format("\n  start-up {:.3f} s ({:.3f} - {:.3f}) to the first translation, of {} starts\n",
                              results.start_up.median(), results.start_up.lowest(), results.start_up.highest(),
                              results.start_up.values().size());
}

// "4870 (4790 - 4900)"
std::string spread_text(const Samples& samples) {
    return fmt::format("{:.0f} ({:.0f} - {:.0f})", samples.median(), samples.lowest(), samples.highest());
}

std::string family_row(const FamilyResult& result, const Peaks& peaks) {
    std::string row = fmt::format("  {:<36}", result.member.name);
    if (!result.training.measurements.empty()) {
        const TrainingMeasurement& measured = result.training.measurements.front();
        const Utilisation reached = utilisation_of(measured, result.training, peaks);
        row += fmt::format("{:>11.1f} M{:>10.1f}{:>24}{:>10.2f}{:>8.1f} %{:>8.1f} %",
                           static_cast<double>(result.training.parameters) * 1e-6,
                           flop_per_token(result.training.work, result.training.work.rectangles) * 1e-6,
                           spread_text(measured.tokens_per_second), result.relative.median(), percent(reached.of_peak),
                           percent(reached.of_peak_without_padding));
    }
    for (const TranslationMeasurement& measured : result.translation) {
        row += fmt::format("{:>22}", spread_text(measured.sentences_per_second));
    }
    return row + "\n";
}

std::string family_heading(const FamilyResult& result) {
    std::string heading = fmt::format("\n  {:<36}", "");
    if (!result.training.measurements.empty()) {
        heading += fmt::format("{:>13}{:>10}{:>24}{:>10}{:>10}{:>10}", "parameters", "MFLOP", "tokens/s (min - max)",
                               "relative", "of peak", "w/o pads");
    }
    for (const TranslationMeasurement& measured : result.translation) {
        heading += fmt::format("{:>22}", fmt::format("beam {}, sentences/s", measured.beam));
    }
    return heading + "\n";
}

std::string settings_text(const std::vector<std::string>& settings) {
    std::string text;
    for (const std::string& setting : settings) {
        text += " --set " + setting;
    }
    return text;
}

}  // namespace

std::string to_text(const FamilyReport& report) {
    std::string text = machine_text(report) + peaks_text(report.peaks);
    const TrainingResults& first = report.results.front().training;
    if (!first.measurements.empty()) {
        text += fmt::format("\ntraining: {} updates after {} in each round; MFLOP: of a target token\n",
                            first.plan.updates, first.plan.warmup);
    }
    if (report.sentences > 0) {
        text += fmt::format("\ntranslation: {} sentences, with random weights, each made as long as its source\n",
                            report.sentences);
    }
    text += counted(report.workers, "worker") + "\n";
    text += family_heading(report.results.front());
    for (const FamilyResult& result : report.results) {
        text += family_row(result, report.peaks);
    }
    text += "\neach of them:" + settings_text(family_base()) + "\nand:\n";
    for (const FamilyResult& result : report.results) {
        if (!result.member.settings.empty()) {
            text += fmt::format("  {:<36}{}\n", result.member.name, settings_text(result.member.settings));
        }
    }
    return text;
}

std::string to_text(const BenchmarkReport& report) {
    return machine_text(report) + peaks_text(report.peaks) +
           (report.training ? training_text(*report.training, report.peaks) : "") +
           (report.translation ? translation_text(report) : "");
}

}  // namespace softalign
