#include "train/run_settings.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

std::string text_checksum(std::int64_t sentences, std::uint32_t checksum) {
    return fmt::format("{} sentences, CRC-32C {:08x}", sentences, checksum);
}

std::string file_checksum(const std::string& bytes) {
    return fmt::format("{} bytes, CRC-32C {:08x}", bytes.size(), crc32c(bytes.data(), bytes.size()));
}

bool names_files(const Key& key) {
    return key.type == ValueType::path || key.type == ValueType::paths;
}

bool names_none(const std::string& value) {
    return value == "\"\"" || value == "[]";
}

std::string value_or(const std::map<std::string, std::string>& values, const std::string& name,
                     const std::string& otherwise) {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
}

// "\"/corpus/train.de\" (29000 sentences, CRC-32C 1a2b3c4d)"
std::string with_contents(const std::string& value, const std::string& contents) {
    return contents.empty() ? value : value + " (" + contents + ")";
}

void add_change(const Key& key, const RunSettings& before, const RunSettings& now,
                std::vector<SettingChange>& changes) {
    static const Config defaults;
    const std::string old_value = value_or(before.values, key.path, format_value(key.get(defaults), key.type));
    const std::string new_value = now.values.at(key.path);
    const std::string old_contents = value_or(before.contents, key.path, "");
    const std::string new_contents = value_or(now.contents, key.path, "");
    const bool by_contents = names_files(key) && key.on_resume != OnResume::may_change;
    const bool contents_known = !old_contents.empty() && !new_contents.empty();
    const bool differ = !by_contents     ? old_value != new_value
                        : contents_known ? old_contents != new_contents
                                         : names_none(old_value) != names_none(new_value);
    if (differ) {
        changes.push_back(
            {key.path, key.on_resume, with_contents(old_value, old_contents), with_contents(new_value, new_contents)});
    }
}

}  // namespace

std::string RunSettings::to_json() const {
    return json_text(nlohmann::json{{"values", values}, {"contents", contents}});
}

RunSettings RunSettings::from_json(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    RunSettings settings;
    settings.values = json.at("values").get<std::map<std::string, std::string>>();
    settings.contents = json.at("contents").get<std::map<std::string, std::string>>();
    return settings;
}

RunSettings settings_of(const Config& config) {
    RunSettings settings;
    for (const Key& key : schema()) {
        settings.values[key.path] = format_value(key.get(config), key.type);
    }
    return settings;
}

RunSettings settings_of(const Config& config, const RunData& data) {
    RunSettings settings = settings_of(config);
    const CorpusReport& train = data.train->report();
    settings.contents["data.train_source"] = text_checksum(train.kept, train.source_checksum);
    if (!config.data.weights.empty() || !config.data.tags.empty()) {
        settings.contents["data.train_source"] += fmt::format(", files up to {}", fmt::join(train.ends, ", "));
    }
    settings.contents["data.train_target"] = text_checksum(train.kept, train.target_checksum);
    if (!config.data.alignments.empty()) {
        settings.contents["data.alignments"] = text_checksum(train.kept, train.alignment_checksum);
    }
    if (data.valid) {
        const CorpusReport& valid = data.valid->report();
        settings.contents["data.valid_source"] = text_checksum(valid.kept, valid.source_checksum);
        settings.contents["data.valid_target"] = text_checksum(valid.kept, valid.target_checksum);
    }
    for (const VocabularyBytes& file : data.vocabularies) {
        settings.contents[fs::path(file.path).filename().string()] = file_checksum(file.bytes);
    }
    // A given vocabulary may be gone: the run has its copy.
    const auto add_given = [&](const char* key, const std::string& path) {
        std::error_code ignored;
        if (!path.empty() && fs::exists(path, ignored)) {
            settings.contents[key] = file_checksum(read_vocabulary(path).bytes);
        }
    };
    add_given("vocabulary.source_model", config.vocabulary.source_model);
    add_given("vocabulary.target_model", config.vocabulary.target_model);
    return settings;
}

std::vector<SettingChange> changes_between(const RunSettings& before, const RunSettings& now) {
    std::vector<SettingChange> changes;
    for (const Key& key : schema()) {
        add_change(key, before, now, changes);
    }
    for (const auto& [name, contents] : before.contents) {
        const std::string new_contents = value_or(now.contents, name, "none");
        if (find_key(name) == nullptr && !now.contents.empty() && new_contents != contents) {
            changes.push_back({name, OnResume::fixed, contents, new_contents});
        }
    }
    return changes;
}

void require_resumable(const std::vector<SettingChange>& changes, const std::string& directory) {
    std::string refused;
    for (const SettingChange& change : changes) {
        if (change.on_resume == OnResume::fixed) {
            refused += fmt::format("\n  {}: {} before, {} now", change.name, change.before, change.now);
        }
    }
    if (!refused.empty()) {
        throw Error(ExitCode::configuration,
                    directory + ": this run was started with other settings, which --resume cannot change:" + refused +
                        "\nset them back (config.yaml in that directory has the old values), or start a new run in "
                        "another checkpoints.directory");
    }
}

void accept_changes(const std::vector<SettingChange>& changes, bool validates, RunState& state) {
    bool rescored = false;
    for (const SettingChange& change : changes) {
        spdlog::info("{}: {} before, {} from here on", change.name, change.before, change.now);
        rescored = rescored || change.on_resume == OnResume::rescores;
    }
    if (!rescored || state.best.empty()) {
        return;
    }
    if (validates) {
        spdlog::warn(
            "the scores of later validations cannot be compared with earlier ones: the next validation's "
            "model becomes the best, and model.safetensors; until then, the earlier best models stay");
    } else {
        spdlog::warn(
            "this run no longer validates: if it goes on training, model.safetensors gets the last weights at its end; "
            "checkpoints/best-*.safetensors stay as they are");
    }
    state.best.clear();
    state.validations_without_gain = 0;
}

}  // namespace softalign
