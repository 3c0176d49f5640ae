#pragma once

#include <string>

#include "base/file_lock.h"
#include "config/config.h"

namespace softalign {

// Throws Error(data) where a text or a vocabulary that the configuration names cannot be read, or read once only (a
// pipe).
void require_inputs(const Config& config);

// The model directory of a run, which no other process trains into while it lives.
class RunDirectory {
public:
    // Looks whether what the configuration names can be read, makes the directory, locks it, and writes config.yaml,
    // the log and the vocabularies into it. Throws Error: data for a text; output where the directory cannot be made,
    // written to, or is in use; configuration where it holds a run and `resume` is false.
    RunDirectory(const Config& config, bool resume);

    const std::string& path() const { return path_; }

private:
    std::string path_;
    FileLock lock_;
};

}  // namespace softalign
