#include "benchmark/scratch_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/load.h"
#include "config/schema.h"
#include "platform/worker_pool.h"
#include "storage/model_directory.h"
#include "text/words.h"
#include "train/resolve.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

// Whether the model directory, if there is one, was made with the same vocabulary.* keys.
bool has_its_vocabularies(const std::string& directory, const Config& config) {
    std::error_code error;
    if (!fs::exists(config_path(directory), error)) {
        return false;
    }
    const Config made = load_model_config(directory);
    return std::all_of(schema().begin(), schema().end(), [&](const Key& key) {
        const bool counts = starts_with(key.path, "vocabulary.") || key.path == "data.source_type";
        return !counts || key.get(made) == key.get(config);
    });
}

VocabularyFiles vocabularies_of(const Config& config, const std::string& folder) {
    const std::string& directory = config.checkpoints.directory;
    return has_its_vocabularies(directory, config) ? read_vocabularies(directory, config.data.source_type)
                                                   : make_vocabularies(config, folder);
}

}  // namespace

void require_cpu(const Config& config) {
    if (config.runtime.device == DeviceChoice::cuda) {
        throw Error(ExitCode::configuration,
                    "benchmark measures the processor, and runtime.device is cuda; give --set runtime.device=cpu");
    }
}

std::vector<std::string> sentences_to_translate(const Config& config, const BenchmarkRequest& request) {
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

ScratchRun::ScratchRun(const Config& config) : folder_("benchmark") {
    WorkerPool pool(training_workers(config, at::kCPU));
    data_ = load_run_data(config, vocabularies_of(config, folder_.path()), folder_.path(), &pool);
}

std::shared_ptr<Seq2Seq> ScratchRun::new_model(const Config& config) const {
    auto model = std::make_shared<Seq2Seq>(config.model, data_.sizes());
    model->initialize(config.training.seed);
    return model;
}

std::string ScratchRun::write_model(const Config& config, const Seq2Seq& model) const {
    write_file_atomically(config_path(folder_.path()), to_yaml(config));
    for (const VocabularyBytes& file : data_.vocabularies) {
        write_file_atomically(folder_.path(fs::path(file.path).filename().string()), file.bytes);
    }
    save_weights(model, weights_path(folder_.path()));
    return folder_.path();
}

}  // namespace softalign
