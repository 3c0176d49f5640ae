#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "config/config.h"
#include "journal/log.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"

namespace softalign {

// Throws Error(data) if a text or vocabulary that the configuration names cannot be read, or can be read only once (a
// pipe).
void require_inputs(const Config& config);

// Throws Error(configuration) if `file`, from which the configuration was read, is the config.yaml of a run but names
// another directory than its own, as that of a run that was moved or copied does. For a configuration whose directory
// was not given in another way.
void require_run_of_config(const Config& config, const std::string& file);

// Throws Error(configuration) if a run that starts, with --resume or without, would write over `file`, from which the
// configuration was read: as its config.yaml, unless a run wrote the file, or as another of its files.
void require_config_to_stay(const Config& config, const std::string& file, bool resume = false);

// The folder of a run, created with its missing parents. Unless keep() was called, the destructor removes the folders
// that were created, as far as they are empty.
class MadeFolder {
public:
    // Throws Error(output) if it cannot be created.
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

// The model directory of a run, locked against other training processes. Until begin(), nothing in it changes except
// the lock, so that a start that fails for any reason costs nothing.
class RunDirectory {
public:
    // Checks that the files the configuration names can be read, creates the directory if it does not exist, and locks
    // it. Throws Error: data for a text; output if the directory cannot be created or written to, or is in use;
    // configuration if `resume` is false and it holds a run, or `resume` is true and the run there was started with
    // other settings or has a model but no checkpoint, or if the run would write over a file that it reads.
    RunDirectory(const Config& config, bool resume);

    const std::string& path() const { return folder_.path(); }

    // The update of the newest checkpoint to resume from; -1 if the run starts from the beginning.
    std::int64_t newest() const { return newest_; }

    // The vocabularies in the directory for a resumed run, else new ones, which begin() writes.
    VocabularyFiles vocabularies(const Config& config) const;

    // Call when the start has succeeded: writes config.yaml and train.log, and for a run that starts from the beginning
    // the vocabularies and its first checkpoint, `start`, replacing what an earlier start left. A model without any
    // checkpoint is therefore one that is finished. Throws Error(output).
    void begin(const Config& config, const VocabularyFiles& vocabularies, const TensorFile& start);

private:
    MadeFolder folder_;
    FileLock lock_;
    RunLog log_;
    std::int64_t newest_ = -1;
};

}  // namespace softalign
