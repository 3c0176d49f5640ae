#include "benchmark/run_benchmark.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary.h"
#include "config/load.h"
#include "config/schema.h"
#include "platform/device.h"
#include "storage/model_directory.h"
#include "text/words.h"
#include "train/resolve.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

void require_cpu(const Config& config) {
    if (config.runtime.device == DeviceChoice::cuda) {
        throw Error(ExitCode::configuration,
                    "benchmark measures the processor, and runtime.device is cuda; give --set runtime.device=cpu");
    }
}

std::vector<int> worker_counts(const Config& config, const BenchmarkRequest& request) {
    if (!request.workers.empty()) {
        return request.workers;
    }
    const int configured = worker_count(config.runtime.workers, at::Device(at::kCPU));
    return configured == 1 ? std::vector<int>{1} : std::vector<int>{1, configured};
}

std::vector<std::string> sentences_of(const Config& config, const BenchmarkRequest& request) {
    if (config.data.source_type == SourceType::features) {
        throw Error(ExitCode::configuration, request.config_name +
                                                 ": data.source_type is features, and benchmark translates text; give "
                                                 "--only training");
    }
    const std::string& path = request.input.empty() ? config.data.valid_source : request.input;
    if (path.empty()) {
        throw Error(ExitCode::configuration, request.config_name +
                                                 ": data.valid_source is empty, so there is no text to translate; give "
                                                 "--input FILE, or --only training");
    }
    std::vector<std::string> sentences = read_lines(path);
    if (std::all_of(sentences.begin(), sentences.end(), [](const auto& line) { return is_blank(line); })) {
        throw Error(ExitCode::data, path + ": there is no sentence to translate");
    }
    return sentences;
}

// Whether the model directory, if there is one, was made with the same vocabulary.* keys.
bool has_its_vocabularies(const std::string& directory, const Config& config) {
    std::error_code error;
    if (!fs::exists(config_path(directory), error)) {
        return false;
    }
    const Config made = load_model_config(directory);
    return std::all_of(schema().begin(), schema().end(), [&](const Key& key) {
        const bool counts = key.path.rfind("vocabulary.", 0) == 0 || key.path == "data.source_type";
        return !counts || key.get(made) == key.get(config);
    });
}

VocabularyFiles vocabularies_of(const Config& config, const std::string& folder) {
    const std::string& directory = config.checkpoints.directory;
    return has_its_vocabularies(directory, config) ? read_vocabularies(directory, config.data.source_type)
                                                   : make_vocabularies(config, folder);
}

// A run whose model directory is a temporary one.
class ScratchRun {
public:
    explicit ScratchRun(const Config& config) : config_(config), folder_("benchmark") {
        data_ = load_run_data(config, vocabularies_of(config, folder_.path()), folder_.path());
        model_ = std::make_shared<Seq2Seq>(config.model, data_.sizes());
        model_->initialize(config.training.seed);
    }

    const RunData& data() const { return data_; }
    Seq2Seq& model() { return *model_; }

    // The directory, with the model as it is now.
    std::string write_model() const {
        write_file_atomically(config_path(folder_.path()), to_yaml(config_));
        for (const VocabularyBytes& file : data_.vocabularies) {
            write_file_atomically(folder_.path(fs::path(file.path).filename().string()), file.bytes);
        }
        save_weights(*model_, weights_path(folder_.path()));
        return folder_.path();
    }

private:
    const Config& config_;
    TemporaryDirectory folder_;
    RunData data_;
    std::shared_ptr<Seq2Seq> model_;
};

TrainingPlan training_plan(const BenchmarkRequest& request, const std::vector<int>& workers) {
    return {request.updates, request.warmup, request.rounds, workers};
}

}  // namespace

BenchmarkReport run_benchmark(const Config& given, const BenchmarkRequest& request) {
    require_cpu(given);
    const Config config = request.training ? resolve(given) : given;
    const std::vector<int> workers = worker_counts(config, request);
    const Precision precision = pick_precision(config.runtime.precision, at::Device(at::kCPU));
    TranslationPlan translation;
    if (request.translation) {
        translation.model = request.model;
        translation.sentences = sentences_of(config, request);
        translation.rounds = request.rounds;
        translation.beams = request.beams;
        translation.workers = workers;
        translation.precision = precision;
    }
    BenchmarkReport report{request.config_name, precision, 0, 0, Peaks(workers), {}, {}, WeightsOf::given};
    std::optional<ScratchRun> run;
    if (request.training || request.model.empty()) {
        require_training_keys(config, request.config_name);
        run.emplace(config);
        report.source_pieces = run->data().sizes().source;
        report.target_pieces = run->data().sizes().target;
    }
    if (request.training) {
        report.training =
            measure_training(config, run->data(), run->model(), training_plan(request, workers), report.peaks);
    }
    if (request.translation) {
        if (request.model.empty()) {
            translation.model = run->write_model();
            report.weights = request.training ? WeightsOf::trained : WeightsOf::initial;
        }
        report.translation = measure_translation(translation, report.peaks);
    }
    return report;
}

}  // namespace softalign
