#include "benchmark/translation.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/counted.h"
#include "base/stopwatch.h"
#include "base/temporary.h"
#include "benchmark/command_run.h"
#include "platform/device.h"
#include "platform/processor.h"
#include "text/words.h"
#include "translate/batch_translator.h"
#include "translate/ensemble.h"

namespace softalign {

namespace {

using Translations = std::vector<std::vector<Translation>>;

double encoding_seconds(const Tokenizer& tokenizer, const std::vector<std::string>& sentences) {
    const Stopwatch watch;
    for (const std::string& sentence : sentences) {
        tokenizer.encode(sentence);
    }
    return watch.seconds();
}

double decoding_seconds(const Tokenizer& tokenizer, const Translations& translations) {
    const Stopwatch watch;
    for (const std::vector<Translation>& found : translations) {
        tokenizer.decode(found.front().ids);
    }
    return watch.seconds();
}

std::int64_t tokens_of(const Translations& translations) {
    std::int64_t tokens = 0;
    for (const std::vector<Translation>& found : translations) {
        tokens += static_cast<std::int64_t>(found.front().token_log_probs.size());
    }
    return tokens;
}

// Sums over the rounds.
struct Seconds {
    double all = 0.0;
    double encode = 0.0;
    double decode = 0.0;
};

class TranslationRounds {
public:
    TranslationRounds(const LoadedEnsemble& loaded, const TranslationPlan& plan) : loaded_(loaded), plan_(plan) {}

    void run(TranslationMeasurement& measured, Seconds& sums) const {
        TranslateOptions options{loaded_.config().search};
        options.search.beam = measured.beam;
        options.workers = measured.workers;
        options.precision = plan_.precision;
        BatchTranslator translator(loaded_.ensemble, options);
        translator.translate(first_sentences(measured.workers));  // pays for what is made at the first use
        const Stopwatch watch;
        const Translations found = translator.translate(plan_.sentences);
        const double seconds = watch.seconds();
        measured.tokens = tokens_of(found);
        measured.sentences_per_second.add(static_cast<double>(plan_.sentences.size()) / seconds);
        measured.tokens_per_second.add(static_cast<double>(measured.tokens) / seconds);
        sums.all += seconds;
        sums.encode += encoding_seconds(loaded_.ensemble.source(), plan_.sentences);
        sums.decode += decoding_seconds(loaded_.ensemble.target(), found);
    }

private:
    // One batch a worker.
    std::vector<std::string> first_sentences(int workers) const {
        const auto wanted = static_cast<std::size_t>(loaded_.config().search.batch_size * workers);
        const std::size_t count = std::min(plan_.sentences.size(), wanted);
        return {plan_.sentences.begin(), plan_.sentences.begin() + static_cast<std::ptrdiff_t>(count)};
    }

    const LoadedEnsemble& loaded_;
    const TranslationPlan& plan_;
};

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    write_file_atomically(path, text);
}

std::vector<std::string> command(const TranslationPlan& plan, const std::string& text) {
    return {"translate", "--model", plan.model, "--input",     text,
            "--device",  "cpu",     "--quiet",  "--precision", name_of(plan.precision)};
}

void run_commands(const TranslationPlan& plan, TranslationResults& results) {
    const TemporaryDirectory folder("benchmark");
    const std::string text = folder.path("text");
    write_lines(text, plan.sentences);
    for (TranslationMeasurement& measured : results.measurements) {
        std::vector<std::string> arguments = command(plan, text);
        arguments.insert(arguments.end(),
                         {"--beam", std::to_string(measured.beam), "--workers", std::to_string(measured.workers)});
        const CommandRun run = run_command(arguments);
        measured.command_seconds = run.seconds;
        measured.peak_memory = run.peak_memory;
        spdlog::info("softalign translate, beam {}, {}: {:.2f} s, {:.0f} MiB", measured.beam,
                     counted(measured.workers, "worker"), run.seconds, mebibytes(run.peak_memory));
    }
    const std::string line = folder.path("line");
    const auto present = std::find_if(plan.sentences.begin(), plan.sentences.end(),
                                      [](const auto& sentence) { return !is_blank(sentence); });
    write_lines(line, {*present});
    for (std::int64_t i = 0; i < plan.starts; ++i) {
        results.start_up.add(run_command(command(plan, line)).first_line_seconds);
    }
    spdlog::info("start-up: {:.3f} s to the first translation", results.start_up.median());
}

}  // namespace

std::vector<TranslationMeasurement> measure_searches(const TranslationPlan& plan, Peaks& peaks) {
    std::vector<TranslationMeasurement> measurements;
    for (const std::int64_t beam : plan.beams) {
        for (const int workers : plan.workers) {
            TranslationMeasurement measured;
            measured.beam = beam;
            measured.workers = workers;
            measurements.push_back(measured);
        }
    }
    const LoadedEnsemble loaded = load_ensemble({{plan.model}}, at::Device(at::kCPU), {});
    const TranslationRounds measurement(loaded, plan);
    std::vector<Seconds> sums(measurements.size());
    peaks.measure();
    for (std::int64_t round = 0; round < plan.rounds; ++round) {
        for (std::size_t i = 0; i < measurements.size(); ++i) {
            TranslationMeasurement& measured = measurements[i];
            measurement.run(measured, sums[i]);
            const TranslationMeasurement& first = measurements[i - i % plan.workers.size()];
            const double rate = measured.sentences_per_second.values().back();
            measured.speed_up.add(rate / first.sentences_per_second.values().back());
            spdlog::info("translation, round {} of {}, beam {}, {}: {:.1f} sentences/s", round + 1, plan.rounds,
                         measured.beam, counted(measured.workers, "worker"), rate);
        }
        peaks.measure();
    }
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        measurements[i].encode = sums[i].encode / sums[i].all;
        measurements[i].detokenise = sums[i].decode / (sums[i].all * measurements[i].workers);
    }
    return measurements;
}

TranslationResults measure_translation(const TranslationPlan& plan, Peaks& peaks) {
    TranslationResults results;
    results.plan = plan;
    results.measurements = measure_searches(plan, peaks);
    run_commands(plan, results);
    return results;
}

}  // namespace softalign
