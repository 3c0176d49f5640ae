#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/schema.h"
#include "train/run_data.h"
#include "train/run_state.h"

namespace softalign {

// The settings that a run was started with. Every checkpoint holds them, so a resumed run can tell what has changed.
struct RunSettings {
    std::map<std::string, std::string> values;  // of every key of the configuration, as config.yaml has them
    // Checksums of the texts and vocabularies that keys name, by key; and of the run's own vocabularies, by file name.
    // Missing until the files have been read.
    std::map<std::string, std::string> contents;

    std::string to_json() const;
    // Throws std::exception on malformed text.
    static RunSettings from_json(const std::string& text);
};

RunSettings settings_of(const Config& config);
RunSettings settings_of(const Config& config, const RunData& data);

// A value or file that has changed. `before` and `now` are for messages.
struct SettingChange {
    std::string name;  // of the key or of the vocabulary file
    OnResume on_resume = OnResume::fixed;
    std::string before;
    std::string now;
};

// In the order of the configuration. A key that names files has changed if their contents have; if these are not known
// on both sides, only whether it names any counts. A key that `before` lacks had its default.
std::vector<SettingChange> changes_between(const RunSettings& before, const RunSettings& now);

// Throws Error(configuration) with every change that a resumed run does not accept, and what to do. `directory` is the
// run's.
void require_resumable(const std::vector<SettingChange>& changes, const std::string& directory);

// Logs the changes that a resumed run accepts. Discards the scores in `state` if later ones cannot be compared with
// them, or if the run no longer validates.
void accept_changes(const std::vector<SettingChange>& changes, bool validates, RunState& state);

}  // namespace softalign
