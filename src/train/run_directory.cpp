#include "train/run_directory.h"

#include <spdlog/spdlog.h>

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/load.h"
#include "config/yaml_tree.h"
#include "storage/safetensors.h"
#include "text/line_reader.h"
#include "train/checkpoints.h"
#include "train/first_weights.h"
#include "train/run_data.h"
#include "train/run_settings.h"

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

std::vector<std::string> texts_of(const Config& config) {
    std::vector<std::string> paths = config.data.train_source;
    paths.insert(paths.end(), config.data.train_target.begin(), config.data.train_target.end());
    paths.insert(paths.end(), config.data.alignments.begin(), config.data.alignments.end());
    if (!config.data.valid_source.empty()) {
        paths.insert(paths.end(), {config.data.valid_source, config.data.valid_target});
    }
    return paths;
}

std::string in(const std::string& directory, const char* name) {
    return (fs::path(directory) / name).string();
}

// What a run writes beside its checkpoints, through a symbolic link or in its place.
struct RunFile {
    const char* name;
    bool follows_link = false;
    bool has_own_faults = false;  // which are found, or borne, where it is written
};
constexpr std::array<RunFile, 10> run_files{{{"train.log", true},
                                             {"metrics.jsonl", true},
                                             {"lock", true, true},
                                             {"config.yaml"},
                                             {"joint.spm"},
                                             {"source.spm"},
                                             {"target.spm"},
                                             {"model.safetensors"},
                                             {"validation.best.txt"},
                                             {"report.html", false, true}}};

// So that it does not fail halfway; a FIFO would block it for ever.
void require_regular_files(const std::string& directory) {
    for (const RunFile& file : run_files) {
        const std::string path = in(directory, file.name);
        std::error_code ignored;
        const fs::file_status status = fs::status(path, ignored);
        if (!file.has_own_faults && fs::exists(status) && !fs::is_regular_file(status)) {
            throw Error(ExitCode::output,
                        path + ": " + (fs::is_directory(status) ? "a directory" : "not a regular file") +
                            ", where training writes a file; remove it, or choose another checkpoints.directory");
        }
    }
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code absent;
    return !a.empty() && fs::equivalent(a, b, absent);
}

bool is_link(const std::string& path) {
    std::error_code absent;
    return fs::is_symlink(path, absent);
}

std::string contents_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The user's own file is neither replaced nor removed.
bool is_given(const Config& config, const std::string& path) {
    return same_file(config.vocabulary.source_model, path) || same_file(config.vocabulary.target_model, path);
}

// A run that started but has done nothing holds nothing to lose.
bool holds_something(const Checkpoints& existing) {
    return existing.newest() > 0 || existing.has_model();
}

// Whether a folder that may be anybody's is that of a run.
bool holds_run(const Config& config, const std::string& folder) {
    try {
        const Checkpoints existing(folder, config.checkpoints);
        return existing.newest() >= 0 || existing.has_model();
    } catch (const Error&) {
        return false;
    }
}

// Of the user's own files, training writes over none. `ending`: of those that may be among the run's.
void require_to_stay(const std::string& input, const std::string& directory, const std::string& ending = "/") {
    for (const RunFile& file : run_files) {
        const std::string output = in(directory, file.name);
        if (!ends_with(file.name, ending) && same_file(input, output) && (file.follows_link || !is_link(output))) {
            throw Error(ExitCode::configuration,
                        input + ": training reads this file and would write over it, as " + file.name +
                            " in checkpoints.directory; move the file elsewhere, or choose another "
                            "checkpoints.directory");
        }
    }
}

void require_inputs_to_stay(const Config& config, const std::string& directory) {
    std::vector<std::string> inputs = texts_of(config);
    inputs.insert(inputs.end(), {config.model.init.source_embeddings, config.model.init.target_embeddings});
    for (const std::string& input : inputs) {
        require_to_stay(input, directory);
    }
    for (const std::string& vocabulary : {config.vocabulary.source_model, config.vocabulary.target_model}) {
        require_to_stay(vocabulary, directory, ".spm");
    }
}

const std::string& directory_of(const Config& config) {
    require_inputs(config);
    require_inputs_to_stay(config, config.checkpoints.directory);
    return config.checkpoints.directory;
}

// A run that starts has the vocabularies that it writes and no other ones.
void require_given_vocabularies_to_stay(const Config& config, const std::string& directory) {
    const VocabularyConfig& vocabulary = config.vocabulary;
    const bool one = vocabulary.target_model.empty() || vocabulary.target_model == vocabulary.source_model;
    const auto check = [&](const char* key, const std::string& given, const std::string& copy) {
        for (const auto& path_of : {joint_vocabulary_path, source_vocabulary_path, target_vocabulary_path}) {
            const std::string path = path_of(directory);
            if (path != copy && same_file(given, path)) {
                throw Error(ExitCode::configuration,
                            std::string(key) + ": " + path + " is in checkpoints.directory, where training keeps " +
                                fs::path(copy).filename().string() +
                                " instead; move the file elsewhere, or choose another checkpoints.directory");
            }
        }
    };
    check("vocabulary.source_model", vocabulary.source_model,
          one ? joint_vocabulary_path(directory) : source_vocabulary_path(directory));
    check("vocabulary.target_model", vocabulary.target_model,
          one ? joint_vocabulary_path(directory) : target_vocabulary_path(directory));
}

void require_no_run(const std::string& directory, const Checkpoints& existing) {
    const std::int64_t newest = existing.newest();
    if (holds_something(existing)) {
        throw Error(ExitCode::configuration,
                    directory + ": this directory holds a run already" +
                        (newest > 0 ? " (" + std::to_string(newest) + " updates)" : "") +
                        "; go on with --resume, or choose another checkpoints.directory, or remove it first");
    }
}

void require_run_to_resume(const Config& config, const std::string& directory, const Checkpoints& existing) {
    const std::int64_t newest = existing.newest();
    if (newest < 0 && existing.has_model()) {
        throw Error(ExitCode::configuration,
                    directory +
                        ": --resume finds a model here but no checkpoint (checkpoints/last-*.safetensors) to go "
                        "on from, and starting from the beginning would overwrite the model; choose another "
                        "checkpoints.directory, or remove this one first");
    }
    // The texts are compared when they have been read; that the keys differ is known now.
    if (const auto before = existing.settings(newest)) {
        require_resumable(changes_between(*before, settings_of(config)), directory);
    }
}

// What a file says without any --set; nothing if it needs one.
std::optional<Config> config_alone(const std::string& file) {
    try {
        return load_config(file, {});
    } catch (const Error&) {
        return std::nullopt;
    }
}

// The option that sets the directory, as a shell and YAML read it.
std::string setting_of(const std::string& directory) {
    const bool is_plain = shell_word(directory) == directory;
    const std::string value = is_plain ? directory : format_value(directory, ValueType::path);
    return "--set " + shell_word("checkpoints.directory=" + value);
}

}  // namespace

void require_inputs(const Config& config) {
    for (const std::string& path : texts_of(config)) {
        require_rereadable(path);
        const LineReader opened(path);
    }
    require_rereadable(config.vocabulary.source_model);
    require_rereadable(config.vocabulary.target_model);
}

void require_run_of_config(const Config& config, const std::string& file) {
    const std::string& directory = config.checkpoints.directory;
    std::error_code unknown;
    const std::string folder = fs::weakly_canonical(fs::absolute(file).parent_path(), unknown).string();
    if (!same_file(file, config_path(folder)) || same_file(folder, directory) || !holds_run(config, folder)) {
        return;
    }
    const std::optional<Config> alone = config_alone(file);
    if (alone && alone->checkpoints.directory == directory) {
        throw Error(
            ExitCode::configuration,
            file + ": checkpoints.directory is " + directory +
                ", not the directory of this file, which holds a run; to resume that run, for example because "
                "it was moved or copied, add " +
                setting_of(folder) +
                (holds_run(config, directory) ? "; to resume the run in " + directory + ", add " + setting_of(directory)
                                              : ""));
    }
}

void require_config_to_stay(const Config& config, const std::string& file, bool resume) {
    const std::string& directory = config.checkpoints.directory;
    require_to_stay(file, directory, "config.yaml");
    const Checkpoints existing(directory, config.checkpoints);
    if (!same_file(file, config_path(directory)) || is_link(config_path(directory)) || holds_something(existing) ||
        (resume && existing.newest() >= 0)) {
        return;
    }
    const std::optional<Config> alone = config_alone(file);
    if (!alone || contents_of(file) != to_yaml(*alone)) {
        throw Error(ExitCode::configuration,
                    file +
                        ": training would write its resolved configuration over this file, which is in "
                        "checkpoints.directory; rename it, or choose another checkpoints.directory");
    }
}

MadeFolder::MadeFolder(const std::string& path) : path_(path) {
    std::error_code error;
    for (fs::path folder = path; !folder.empty() && !fs::exists(folder, error); folder = folder.parent_path()) {
        made_.push_back(folder.string());
    }
    const bool is_file = fs::exists(path, error) && !fs::is_directory(path, error);
    if (is_file) {
        throw Error(ExitCode::output, path + ": a file, not a directory; choose another checkpoints.directory");
    }
    fs::create_directories(path, error);
    if (error) {
        throw Error(ExitCode::output, path + ": the directory cannot be made (" + error.message() +
                                          "); set checkpoints.directory to a place you can write to");
    }
}

MadeFolder::~MadeFolder() {
    std::error_code not_empty;
    for (const std::string& folder : made_) {
        fs::remove(folder, not_empty);
    }
}

RunDirectory::RunDirectory(const Config& config, bool resume)
    : folder_(directory_of(config)), lock_(in(path(), "lock")), log_(config.runtime.log_level) {
    require_regular_files(path());
    const Checkpoints existing(path(), config.checkpoints);
    if (resume) {
        require_run_to_resume(config, path(), existing);
        newest_ = existing.newest();
    } else {
        require_no_run(path(), existing);
    }
    if (newest_ < 0) {
        require_given_vocabularies_to_stay(config, path());
        require_given_weights(config);
    }
    if (resume && newest_ < 0) {
        spdlog::info("{} holds no checkpoint yet: training starts from the beginning", path());
    }
}

VocabularyFiles RunDirectory::vocabularies(const Config& config) const {
    return newest_ < 0 ? make_vocabularies(config, path()) : read_vocabularies(path(), config.data.source_type);
}

void RunDirectory::begin(const Config& config, const VocabularyFiles& vocabularies, const TensorFile& start) {
    const Checkpoints checkpoints(path(), config.checkpoints);
    remove_stale_temporaries(path());
    MadeFolder folder_of_checkpoints(checkpoints.folder());
    remove_stale_temporaries(checkpoints.folder());
    std::deque<AtomicFile> files;  // all are written before one replaces what is there
    const auto open = [&files](const std::string& file) -> AtomicFile& {
        return files.emplace_back(file, AtomicFile::Temporary::unnamed_if_possible, AtomicFile::Link::replaced);
    };
    const auto write = [&open](const std::string& file, const std::string& content) {
        open(file).write(content.data(), content.size());
    };
    std::set<std::string> obsolete;
    if (newest_ < 0) {
        obsolete = {joint_vocabulary_path(path()), source_vocabulary_path(path()), target_vocabulary_path(path())};
        for (const VocabularyBytes& file : vocabularies) {
            obsolete.erase(file.path);
            if (!is_given(config, file.path) || is_link(file.path)) {
                write(file.path, file.bytes);
            } else if (contents_of(file.path) != file.bytes) {
                throw Error(ExitCode::configuration,
                            file.path +
                                ": data.tags and vocabulary.placeholders add pieces to this vocabulary, and this file "
                                "is where training keeps the result; move it elsewhere, or choose another "
                                "checkpoints.directory");
            }
        }
    }
    write(config_path(path()), to_yaml(config));
    if (newest_ < 0) {
        write_safetensors(open(checkpoints.path_of_run(0)), start);
    }
    log_.open(in(path(), "train.log"));
    if (newest_ < 0) {
        checkpoints.clear();
    }
    for (AtomicFile& file : files) {
        file.commit();
    }
    for (const std::string& file : obsolete) {
        std::error_code ignored;  // two vocabularies beside a joint one are an error of loading, which names them
        fs::remove(file, ignored);
    }
    lock_.keep();
    folder_.keep();
    folder_of_checkpoints.keep();
}

}  // namespace softalign
