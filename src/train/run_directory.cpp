#include "train/run_directory.h"

#include <spdlog/spdlog.h>

#include <filesystem>
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

// A missing or unreadable file shows before the model directory is made.
void require_texts(const DataConfig& data) {
    std::vector<std::string> paths = data.train_source;
    paths.insert(paths.end(), data.train_target.begin(), data.train_target.end());
    if (!data.valid_source.empty()) {
        paths.insert(paths.end(), {data.valid_source, data.valid_target});
    }
    for (const std::string& path : paths) {
        const LineReader opened(path);
    }
}

std::string made_directory(const Config& config) {
    require_texts(config.data);
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
