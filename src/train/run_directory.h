#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_lock.h"
#include "config/config.h"
#include "report/log.h"
#include "storage/model_directory.h"

namespace softalign {

// Throws Error(data) where a text or a vocabulary that the configuration names cannot be read, or read once only (a
// pipe).
void require_inputs(const Config& config);

// The folder of a run, and the folders above it that did not exist. It goes again, with what it holds of the lock,
// where the run could not start.
class MadeFolder {
public:
    // Throws Error(output) where it cannot be made.
    explicit MadeFolder(const std::string& path);
    ~MadeFolder();
    MadeFolder(const MadeFolder&) = delete;
    MadeFolder& operator=(const MadeFolder&) = delete;

    const std::string& path() const { return path_; }
    void keep() { made_.clear(); }

private:
    std::string path_;
    std::vector<std::string> made_;  // the innermost first
};

// The model directory of a run, which no other process trains into while it lives. Until begin() nothing in it changes
// but the lock, so that a start that fails for whatever reason costs nothing.
class RunDirectory {
public:
    // Checks that the files the configuration names can be read, makes the directory where there is none, and locks it.
    // Throws Error: data for a text; output where the directory cannot be made, written to, or is in use; configuration
    // where `resume` is false and it holds a run, or `resume` is true and the run there was started with other settings
    // or has a model but no checkpoint.
    RunDirectory(const Config& config, bool resume);

    const std::string& path() const { return folder_.path(); }

    // The update of the newest checkpoint to go on from; -1 where the run starts from the beginning.
    std::int64_t newest() const { return newest_; }

    // Those in the directory for a run that goes on, else new ones, which begin() writes.
    VocabularyFiles vocabularies(const Config& config) const;

    // The start has succeeded: writes config.yaml and train.log, and the vocabularies of a run that starts from the
    // beginning in place of what an earlier start left. Throws Error(output).
    void begin(const Config& config, const VocabularyFiles& vocabularies);

private:
    MadeFolder folder_;
    FileLock lock_;
    RunLog log_;
    std::int64_t newest_ = -1;
};

}  // namespace softalign
