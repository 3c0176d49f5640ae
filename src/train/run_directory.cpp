#include "train/run_directory.h"

#include <spdlog/spdlog.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "config/load.h"
#include "report/log.h"
#include "storage/model_directory.h"
#include "text/line_reader.h"
#include "train/checkpoints.h"
#include "train/run_data.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

void require_rereadable(const std::string& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
        throw Error(
            ExitCode::data,
            path + ": a pipe or a device, and training reads its files more than once; write it to a file first");
    }
}

std::string made_directory(const Config& config) {
    require_inputs(config);
    const std::string& directory = config.checkpoints.directory;
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) {
        throw Error(ExitCode::output, directory + ": the model directory cannot be made (" + error.message() +
                                          "); set checkpoints.directory to a place you can write to");
    }
    return directory;
}

}  // namespace

void require_inputs(const Config& config) {
    std::vector<std::string> paths = config.data.train_source;
    paths.insert(paths.end(), config.data.train_target.begin(), config.data.train_target.end());
    if (!config.data.valid_source.empty()) {
        paths.insert(paths.end(), {config.data.valid_source, config.data.valid_target});
    }
    for (const std::string& path : paths) {
        require_rereadable(path);
        const LineReader opened(path);
    }
    require_rereadable(config.vocabulary.source_model);
    require_rereadable(config.vocabulary.target_model);
}

RunDirectory::RunDirectory(const Config& config, bool resume)
    : path_(made_directory(config)), lock_((fs::path(path_) / "lock").string()) {
    const Checkpoints existing(path_, config.checkpoints);
    const std::int64_t newest = existing.newest();
    if (!resume && (newest >= 0 || existing.has_model())) {
        throw Error(ExitCode::configuration,
                    path_ + ": this directory holds a run already" +
                        (newest >= 0 ? " (" + std::to_string(newest) + " updates)" : "") +
                        "; go on with --resume, or choose another checkpoints.directory, or remove it first");
    }
    set_up_logging(config.runtime.log_level, (fs::path(path_) / "train.log").string());
    if (resume && newest < 0) {
        spdlog::info("{} holds no checkpoint yet: training starts from the beginning", path_);
    }
    write_file_atomically(config_path(path_), to_yaml(config));
    make_vocabularies(config, path_);
}

}  // namespace softalign
