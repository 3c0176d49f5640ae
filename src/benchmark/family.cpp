#include "benchmark/family.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "benchmark/scratch_run.h"
#include "config/load.h"
#include "platform/device.h"
#include "train/resolve.h"

namespace softalign {

namespace {

using Members = std::vector<std::pair<FamilyMember, Config>>;

void require_one_measurement(const BenchmarkRequest& request) {
    if (request.workers.size() > 1) {
        throw Error(ExitCode::usage, "--all measures one number of workers; give one with --workers");
    }
    if (!request.model.empty()) {
        throw Error(ExitCode::usage, "--all translates with models of its own; give --model without it");
    }
}

// The same measurement of another round.
void add_round(FamilyResult& sum, const TrainingResults& round, const FamilyResult& first) {
    if (sum.training.measurements.empty()) {
        sum.training = round;
    } else {
        TrainingMeasurement& measured = sum.training.measurements.front();
        measured.tokens_per_second.add(round.measurements.front().tokens_per_second.median());
        measured.seconds_per_update.add(round.measurements.front().seconds_per_update.median());
        sum.training.bad_updates += round.bad_updates;
    }
    const auto latest = [](const FamilyResult& result) {
        return result.training.measurements.front().tokens_per_second.values().back();
    };
    sum.relative.add(latest(sum) / latest(first));
}

void add_round(std::vector<TranslationMeasurement>& sum, const std::vector<TranslationMeasurement>& round) {
    if (sum.empty()) {
        sum = round;
        return;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i].sentences_per_second.add(round[i].sentences_per_second.median());
        sum[i].tokens_per_second.add(round[i].tokens_per_second.median());
    }
}

// A search that ends where its source does: random weights would go on until the limit.
Config with_lengths_of_sources(Config config) {
    config.search.max_length_ratio = 1.0;
    config.search.max_length_offset = 0;
    return config;
}

}  // namespace

const std::vector<std::string>& family_base() {
    static const std::vector<std::string> settings = {
        "model.encoder.type=recurrent",     "model.encoder.cell=gru",           "model.encoder.layers=1",
        "model.encoder.bidirectional=true", "model.encoder.residual=false",     "model.encoder.transition_depth=1",
        "model.decoder.type=recurrent",     "model.decoder.cell=gru",           "model.decoder.layers=1",
        "model.decoder.attend=before",      "model.decoder.input_feeding=true", "model.decoder.initial_state=mean",
        "model.decoder.readout=tanh",       "model.decoder.residual=false",     "model.decoder.transition_depth=1",
        "model.attention.type=additive",    "model.attention.coverage=none",    "model.layer_norm=false",
        "model.decoder.layer_norm=true",    "model.decoder.lexical=false",      "model.encoder.alternating=false",
        "model.decoder.deep_context=false",
    };
    return settings;
}

const std::vector<FamilyMember>& family() {
    static const std::string lstm_encoder = "model.encoder.cell=lstm";
    static const std::string lstm_decoder = "model.decoder.cell=lstm";
    static const std::string after = "model.decoder.attend=after";
    // Its score needs annotations of the decoder's width.
    static const std::string one_way = "model.encoder.bidirectional=false";
    static const std::vector<FamilyMember> members = {
        {"GRU, additive", {}},
        {"GRU of Cho et al. 2014, additive", {"model.encoder.cell=gru_cho", "model.decoder.cell=gru_cho"}},
        {"conditional GRU, additive", {"model.decoder.attend=between"}},
        {"GRU, additive, two layers", {"model.encoder.layers=2", "model.decoder.layers=2"}},
        {"GRU, additive, layer norm", {"model.layer_norm=true"}},
        {"GRU, general after, input feeding", {after, "model.attention.type=general"}},
        {"GRU, general after", {after, "model.attention.type=general", "model.decoder.input_feeding=false"}},
        {"GRU, dot after, one direction", {after, "model.attention.type=dot", one_way}},
        {"GRU, concat after", {after, "model.attention.type=concat"}},
        {"GRU, location after", {after, "model.attention.type=location"}},
        {"GRU, local-m after", {after, "model.attention.type=local_m"}},
        {"GRU, local-p after", {after, "model.attention.type=local_p"}},
        {"GRU, scaled dot-product", {"model.attention.type=scaled_dot"}},
        {"GRU, multi-head", {"model.attention.type=multi_head"}},
        {"GRU, multi-query", {"model.attention.type=multi_query"}},
        {"GRU, grouped-query", {"model.attention.type=grouped_query"}},
        {"GRU, no attention", {"model.attention.type=none", "model.decoder.attend=never"}},
        {"LSTM, additive", {lstm_encoder, lstm_decoder}},
        {"LSTM, general after, input feeding", {lstm_encoder, lstm_decoder, after, "model.attention.type=general"}},
        {"LSTM, dot after, one direction", {lstm_encoder, lstm_decoder, after, "model.attention.type=dot", one_way}},
        {"LSTM, multi-head", {lstm_encoder, lstm_decoder, "model.attention.type=multi_head"}},
        {"convolution + GRU, additive", {"model.encoder.type=convolutional"}},
        {"Transformer + GRU, additive", {"model.encoder.type=transformer"}},
        {"Transformer", {"model.encoder.type=transformer", "model.decoder.type=transformer"}},
    };
    return members;
}

FamilyReport run_family(const Members& members, const BenchmarkRequest& request) {
    require_one_measurement(request);
    const Config& first = members.front().second;
    require_cpu(first);
    require_training_keys(first, request.config_name);
    const std::vector<std::string> sentences =
        request.translation ? sentences_to_translate(first, request) : std::vector<std::string>();
    const int workers =
        request.workers.empty() ? worker_count(first.runtime.workers, at::Device(at::kCPU)) : request.workers.front();
    const Precision precision = pick_precision(first.runtime.precision, at::Device(at::kCPU));
    FamilyReport report{request.config_name, precision, workers, sentences.size(), Peaks({workers}), {}};
    for (const auto& member : members) {
        report.results.push_back({member.first, {}, {}, {}});
    }
    const ScratchRun run(resolve(first));
    Peaks elsewhere;  // once for each member is enough
    for (std::int64_t round = 0; round < request.rounds; ++round) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            FamilyResult& result = report.results[i];
            const Config config = resolve(members[i].second);
            spdlog::info("round {} of {}: {}", round + 1, request.rounds, result.member.name);
            report.peaks.measure();
            const auto model = run.new_model(config);
            const std::string directory =
                request.translation ? run.write_model(with_lengths_of_sources(config), *model) : std::string();
            if (request.training) {
                add_round(result,
                          measure_training(config, run.data(), *model, {request.updates, request.warmup, 1, {workers}},
                                           elsewhere),
                          report.results.front());
            }
            if (request.translation) {
                TranslationPlan plan;
                plan.model = directory;
                plan.sentences = sentences;
                plan.rounds = 1;
                plan.beams = request.beams;
                plan.workers = {workers};
                plan.precision = precision;
                add_round(result.translation, measure_searches(plan, elsewhere));
            }
        }
    }
    return report;
}

}  // namespace softalign
