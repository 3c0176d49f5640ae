// What a run checks before it writes, and what a resumed run may change.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "config/schema.h"
#include "config/yaml_tree.h"
#include "platform/device.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"
#include "text/trained_vocabulary.h"
#include "train/run_settings.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class Resume : public Training {
protected:
    // A run of two updates, with two checkpoints and a validation.
    Config short_run(const std::string& run) const {
        Config config = this->config(run);
        config.training.shards = 2;  // a run never has the 0 that lets it choose
        config.training.max_updates = 2;
        config.checkpoints.every_updates = 1;
        config.validation.every = 2;
        config.validation.unit = IntervalUnit::updates;
        config.search.beam = 2;
        return config;
    }

    // All files of a directory but the lock, which a start takes before it looks at anything.
    std::map<std::string, std::string> files_of(const std::string& run) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(at(run))) {
            const std::string name = fs::relative(entry.path(), at(run)).string();
            if (name != "lock") {
                files[name] = entry.is_regular_file() ? read_bytes(entry.path()) : "folder";
            }
        }
        return files;
    }

    void copy_run(const std::string& from, const std::string& to) const {
        fs::remove_all(at(to));
        fs::copy(at(from), at(to), fs::copy_options::recursive);
    }

    std::string log_of(const std::string& run) const { return bytes(run + "/train.log"); }

    // A copy of a file under another name, with the last line replaced where `last_line` is not empty.
    std::string copied(const std::string& name, const std::string& copy, const std::string& last_line = "") const {
        std::string text = bytes(name);
        if (!last_line.empty()) {
            text = text.substr(0, text.rfind('\n', text.size() - 2) + 1) + last_line + "\n";
        }
        std::ofstream(at(copy)) << text;
        return at(copy);
    }
};

// A start that fails late: everything is in order but for one thing.
using Spoiling = std::function<void(Config&)>;

TEST_F(Resume, a_start_that_fails_leaves_the_directory_as_it_was) {
    train(short_run("run"), false);
    std::ofstream(at("longer.src")) << bytes("train.src") << "alpha\n";
    std::ofstream(at("latin1.src")) << "\xE4\n" << bytes("train.src");
    std::ofstream(at("noise.model")) << "noise";
    std::vector<std::pair<std::string, Spoiling>> spoilings = {
        {"unequal texts", [&](Config& c) { c.data.train_source = {at("longer.src")}; }},
        {"not UTF-8", [&](Config& c) { c.data.train_source = {at("latin1.src")}; }},
        {"no such text", [&](Config& c) { c.data.train_source = {at("absent")}; }},
        {"unequal validation texts", [&](Config& c) { c.data.valid_source = at("longer.src"); }},
        {"no vocabulary", [&](Config& c) { c.vocabulary.source_model = at("noise.model"); }},
    };
    if (pick_device(DeviceChoice::automatic).is_cpu()) {
        spoilings.emplace_back("no such device", [](Config& c) { c.runtime.device = DeviceChoice::cuda; });
    }
    const std::vector<std::pair<std::string, Spoiling>> of_resume = {
        {"another model", [](Config& c) { c.model.decoder.hidden_size = 20; }},
        {"another optimiser", [](Config& c) { c.training.optimizer.type = OptimizerType::adadelta; }},
        {"no average", [](Config& c) { c.training.ema = 0.0; }},
    };
    const auto before = files_of("run");
    for (const auto& [name, spoil] : spoilings) {
        SCOPED_TRACE(name);
        Config fresh = short_run("fresh/deep");
        spoil(fresh);
        EXPECT_THROW(train(fresh, false), Error);
        EXPECT_FALSE(fs::exists(at("fresh"))) << "a new directory stays";
        Config old = short_run("run");
        spoil(old);
        EXPECT_THROW(train(old, true), Error);
        EXPECT_EQ(files_of("run"), before);
    }
    for (const auto& [name, spoil] : of_resume) {
        SCOPED_TRACE(name);
        Config old = short_run("run");
        spoil(old);
        EXPECT_THROW(train(old, true), Error);
        EXPECT_EQ(files_of("run"), before);
    }
    EXPECT_THROW(train(short_run("run"), false), Error);
    EXPECT_EQ(files_of("run"), before);
    EXPECT_NO_THROW(load_model(at("run"), at::kCPU));

    // Without a readable checkpoint, too.
    for (const char* name : {"last-1", "last-2"}) {
        fs::resize_file(at("run") / "checkpoints" / (std::string(name) + ".safetensors"), 100);
    }
    const auto damaged = files_of("run");
    EXPECT_THROW(train(short_run("run"), true), Error);
    EXPECT_EQ(files_of("run"), damaged);
}

// What a start writes first is in order, and something that it writes later is not.
TEST_F(Resume, a_start_that_finds_a_folder_in_place_of_a_file_changes_nothing) {
    train(short_run("run"), false);
    for (const char* name : {"train.log", "metrics.jsonl", "config.yaml"}) {
        SCOPED_TRACE(name);
        copy_run("run", "blocked");
        fs::remove(at("blocked") / name);
        fs::create_directories(at("blocked") / name / "full");
        Config longer = short_run("blocked");
        longer.training.max_updates = 3;
        const auto before = files_of("blocked");
        EXPECT_THROW(train(longer, true), Error);
        EXPECT_EQ(files_of("blocked"), before);
    }
    for (const char* name : {"train.log", "metrics.jsonl", "config.yaml", "joint.spm"}) {
        SCOPED_TRACE(name);
        fs::remove_all(at("fresh"));
        fs::create_directories(at("fresh") / name / "full");
        const auto before = files_of("fresh");
        EXPECT_THROW(train(short_run("fresh"), false), Error);
        EXPECT_EQ(files_of("fresh"), before);
    }
}

TEST_F(Resume, a_folder_that_was_there_before_a_start_that_fails_stays_empty) {
    fs::create_directories(at("run"));
    Config run = short_run("run");
    run.data.valid_source = at("train.src");
    EXPECT_THROW(train(run, false), Error);
    EXPECT_TRUE(fs::is_empty(at("run")));
}

// The keys that a resumed run may change: limits, what is measured and reported, the machine, and the learning rate and
// clipping that the advice after a divergence is about.
bool is_free_to_change(const std::string& key) {
    static const std::set<std::string> keys = {"training.max_epochs",
                                               "training.max_updates",
                                               "training.max_minutes",
                                               "training.clip_norm",
                                               "training.freeze",
                                               "training.optimizer.learning_rate",
                                               "training.schedule.min_learning_rate",
                                               "data.valid_source",
                                               "data.valid_target",
                                               "data.on_bad_line",
                                               "data.on_disk",
                                               "data.cache"};
    static const std::vector<std::string> sections = {"training.divergence.", "search.", "validation.",
                                                      "checkpoints.",         "report.", "runtime."};
    return keys.count(key) > 0 || std::any_of(sections.begin(), sections.end(),
                                              [&](const std::string& section) { return key.rfind(section, 0) == 0; });
}

// Another value than the key has, and one that it may have.
Value other_value(const Key& key, const Config& config) {
    const Value value = key.get(config);
    if (const auto* boolean = std::get_if<bool>(&value)) {
        return !*boolean;
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return *integer + (static_cast<double>(*integer) < key.allowed.maximum ? 1 : -1);
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
        std::vector<std::int64_t> longer = *list;
        longer.push_back(1);
        return longer;
    }
    if (key.type == ValueType::numbers) {
        return std::vector<double>{0.5};
    }
    if (key.path != "training.freeze" && key.type == ValueType::texts) {
        return std::vector<std::string>{"another"};
    }
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
        return *number + 1;
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return *number > 0.0 ? *number * 0.99 : 0.125;
    }
    if (key.path == "training.freeze") {
        return std::vector<std::string>{"output_bias"};
    }
    if (key.type == ValueType::text) {
        return std::string("another");
    }
    const auto& choices = key.allowed.choices;
    const auto place = std::find(choices.begin(), choices.end(), std::get<std::string>(value));
    return choices[static_cast<std::size_t>(place - choices.begin() + 1) % choices.size()];
}

// The limit is reached, so that an accepted run ends at once.
TEST_F(Resume, every_key_is_accepted_or_refused_by_name) {
    const Config original = short_run("original");
    train(original, false);
    int accepted = 0;
    int refused = 0;
    for (const Key& key : schema()) {
        if (key.type == ValueType::path || key.type == ValueType::paths) {
            continue;  // below
        }
        SCOPED_TRACE(key.path);
        copy_run("original", "run");
        Config changed = original;
        changed.checkpoints.directory = at("run");
        changed.runtime.log_level = LogLevel::info;
        key.set(changed, other_value(key, changed));
        const std::string before = key.path + ": " + format_value(key.get(original), key.type) + " before, ";
        const std::string now = format_value(key.get(changed), key.type);
        const auto files = files_of("run");
        if (is_free_to_change(key.path)) {
            ++accepted;
            ASSERT_NO_THROW(train(changed, true));
            if (key.path != "runtime.log_level") {
                EXPECT_TRUE(has(log_of("run"), before + now + " from here on")) << log_of("run");
            }
        } else {
            ++refused;
            const std::string message = fault(ExitCode::configuration, [&] { train(changed, true); });
            EXPECT_TRUE(has(message, before + now + " now")) << message;
            EXPECT_TRUE(has(message, "another checkpoints.directory")) << message;
            EXPECT_EQ(files_of("run"), files);
        }
    }
    EXPECT_GT(accepted, 30);
    EXPECT_GT(refused, 60);
}

TEST_F(Resume, a_key_newer_than_the_checkpoint_had_its_default) {
    const RunSettings now = settings_of(config("run"));
    RunSettings before = now;
    before.values.erase("model.layer_norm");
    before.values["model.gone"] = "true";
    EXPECT_TRUE(changes_between(before, now).empty());
    Config changed = config("run");
    changed.model.layer_norm = true;
    const std::vector<SettingChange> changes = changes_between(before, settings_of(changed));
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes.front().name, "model.layer_norm");
    EXPECT_EQ(changes.front().before, "false");
}

TEST_F(Resume, all_refused_keys_are_named_at_once) {
    Config run = short_run("run");
    train(run, false);
    run.model.encoder.reverse_source = true;
    run.training.batch_size = 10;
    const std::string message = fault(ExitCode::configuration, [&] { train(run, true); });
    EXPECT_TRUE(has(message, "model.encoder.reverse_source: false before, true now")) << message;
    EXPECT_TRUE(has(message, "training.batch_size: 20 before, 10 now")) << message;
}

// What counts of a text is what it says.
TEST_F(Resume, texts_may_move_but_not_change) {
    Config run = short_run("run");
    train(run, false);
    run.training.max_updates = 3;
    run.data.train_source = {copied("train.src", "moved.src")};
    run.data.train_target = {copied("train.tgt", "moved.tgt")};
    ASSERT_NO_THROW(train(run, true));

    run.training.max_updates = 4;
    run.data.train_target = {copied("train.tgt", "edited.tgt", "kilo kilo")};
    const auto before = files_of("run");
    const std::string message = fault(ExitCode::configuration, [&] { train(run, true); });
    EXPECT_TRUE(has(message, "data.train_target: [\"" + at("moved.tgt").string() + "\"] (300 sentences, CRC-32C "))
        << message;
    EXPECT_TRUE(has(message, " before, [\"" + at("edited.tgt").string() + "\"] (300 sentences, CRC-32C ")) << message;
    EXPECT_FALSE(has(message, "data.train_source")) << message;
    EXPECT_EQ(files_of("run"), before);
}

TEST_F(Resume, vocabularies_may_move_but_not_change) {
    Config run = short_run("run");
    run.vocabulary.source_model = at("given.model");
    VocabularyConfig words;
    words.type = VocabularyType::word;
    train_vocabulary({at("train.src")}, words, 20, at("given.model"));
    train(run, false);

    run.training.max_updates = 3;
    run.vocabulary.source_model = copied("given.model", "moved.model");
    ASSERT_NO_THROW(train(run, true));
    fs::remove(at("moved.model"));
    ASSERT_NO_THROW(train(run, true)) << "the run has its own copy";

    words.normalization = "identity";
    train_vocabulary({at("train.src")}, words, 20, at("moved.model"));  // in place
    const std::string message = fault(ExitCode::configuration, [&] { train(run, true); });
    EXPECT_TRUE(has(message, "vocabulary.source_model: ")) << message;

    // The run's own.
    run.vocabulary.source_model = at("given.model");
    fs::copy_file(at("moved.model"), at("run") / "joint.spm", fs::copy_options::overwrite_existing);
    const std::string of_copy = fault(ExitCode::configuration, [&] { train(run, true); });
    EXPECT_TRUE(has(of_copy, "\n  joint.spm: ")) << of_copy;
}

// A save before the next validation would otherwise leave no best model at all.
TEST_F(Resume, earlier_best_models_stay_until_there_is_another) {
    Config run = short_run("run");
    train(run, false);
    const auto best_models = [this] {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(at("run") / "checkpoints")) {
            const std::string name = entry.path().filename().string();
            if (name.rfind("best-", 0) == 0) {
                names.push_back(name);
            }
        }
        return names;
    };
    const std::vector<std::string> before = best_models();
    ASSERT_EQ(before.size(), 1U);
    Config without = run;
    without.training.max_updates = 3;
    without.data.valid_source.clear();
    without.data.valid_target.clear();
    without.validation.metric = Metric::cross_entropy;
    EXPECT_TRUE(train(without, true).state.best.empty());
    EXPECT_EQ(best_models(), before);
    EXPECT_EQ(read_safetensors_metadata(at("run") / "model.safetensors").at("update"), "3");

    run.training.max_updates = 4;
    train(run, true);
    EXPECT_EQ(best_models().size(), 1U);
    EXPECT_NE(best_models(), before);
}

// Nothing was trained, so nothing replaces it.
TEST_F(Resume, the_best_model_of_a_finished_run_stays_where_validation_is_turned_off) {
    Config run = short_run("run");
    run.training.optimizer.learning_rate = 1.0;  // the second validation is worse than the first
    run.validation.every = 1;
    run.validation.metric = Metric::cross_entropy;
    train(run, false);
    ASSERT_EQ(read_safetensors_metadata(at("run") / "model.safetensors").at("update"), "1");
    const std::string best = bytes("run/model.safetensors");
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.runtime.log_level = LogLevel::warning;
    train(run, true);
    EXPECT_EQ(bytes("run/model.safetensors"), best);
    EXPECT_TRUE(has(log_of("run"), "this run no longer validates")) << log_of("run");

    run.training.max_updates = 3;
    train(run, true);
    EXPECT_EQ(read_safetensors_metadata(at("run") / "model.safetensors").at("update"), "3");
}

// Killed between the save and the next validation, twice.
TEST_F(Resume, earlier_best_models_stay_through_starts_that_do_not_validate) {
    Config run = short_run("run");
    train(run, false);
    const std::string best = bytes("run/checkpoints/best-2.safetensors");
    copy_run("run", "killed");
    Config ahead = run;
    ahead.checkpoints.directory = at("ahead");
    ahead.validation.every = 100;
    ahead.validation.metric = Metric::cross_entropy;
    copy_run("run", "ahead");
    ahead.training.max_updates = 4;
    train(ahead, true);  // its last-3 is what a run that is killed after the save of update 3 leaves
    Config killed = ahead;
    killed.checkpoints.directory = at("killed");
    fs::copy(at("ahead") / "checkpoints" / "last-3.safetensors", at("killed") / "checkpoints");
    killed.training.max_updates = 5;
    killed.checkpoints.every_updates = 1;
    killed.validation.every = 5;
    EXPECT_EQ(bytes("killed/checkpoints/best-2.safetensors"), best);
    EXPECT_EQ(train(killed, true).state.best.front().update, 5);
    EXPECT_EQ(read_safetensors_metadata(at("killed") / "model.safetensors").at("update"), "5");
    EXPECT_FALSE(fs::exists(at("killed") / "checkpoints" / "best-2.safetensors"));
}

// Scores of another metric or text are no measure for later ones.
TEST_F(Resume, the_best_model_is_chosen_anew_where_scores_cannot_be_compared) {
    Config run = short_run("run");
    const TrainingResult first = train(run, false);
    ASSERT_EQ(first.state.best.size(), 1U);
    run.training.max_updates = 4;
    run.validation.metric = Metric::perplexity;
    run.checkpoints.keep_best = 3;
    const TrainingResult second = train(run, true);
    ASSERT_EQ(second.state.best.size(), 1U);
    EXPECT_EQ(second.state.best.front().update, 4);

    // Validation text that only moved is no reason.
    run.training.max_updates = 6;
    run.data.valid_source = copied("valid.src", "moved.src");
    EXPECT_EQ(train(run, true).state.best.size(), 2U);
    run.training.max_updates = 8;
    run.data.valid_source = copied("valid.src", "moved.src", "kilo");
    EXPECT_EQ(train(run, true).state.best.size(), 1U);
}

// As a run leaves it that is killed after its last save and before it removes what that made superfluous.
TEST_F(Resume, a_best_model_too_many_goes_at_the_end) {
    Config run = short_run("run");
    const TrainingResult result = train(run, false);
    ASSERT_EQ(result.state.best.size(), 1U);
    const std::filesystem::path folder = at("run") / "checkpoints";
    const std::string kept = "best-" + std::to_string(result.state.best.front().update) + ".safetensors";
    std::filesystem::copy_file(folder / kept, folder / "best-999.safetensors");
    train(run, true);
    EXPECT_TRUE(std::filesystem::exists(folder / kept));
    EXPECT_FALSE(std::filesystem::exists(folder / "best-999.safetensors"));
}

TEST_F(Resume, a_checkpoint_that_does_not_say_what_it_was_started_with_is_taken_with_a_warning) {
    Config run = short_run("run");
    train(run, false);
    for (const char* name : {"last-1.safetensors", "last-2.safetensors"}) {
        const std::string path = at("run") / "checkpoints" / name;
        TensorFile file = read_safetensors(path);
        ASSERT_EQ(file.metadata.erase("run_settings"), 1U);
        write_safetensors(path, file);
    }
    run.training.max_updates = 3;
    run.runtime.log_level = LogLevel::info;
    EXPECT_EQ(train(run, true).state.update, 3);
    EXPECT_TRUE(has(log_of("run"), "does not say what the run was started with")) << log_of("run");
}

TEST_F(Resume, a_moved_run_goes_on) {
    Config run = short_run("run");
    train(run, false);
    fs::rename(at("run"), at("moved"));
    run.checkpoints.directory = at("moved");
    run.training.max_updates = 3;
    EXPECT_EQ(train(run, true).state.update, 3);
}

TEST_F(Resume, a_finished_model_without_checkpoints_is_not_overwritten) {
    train(short_run("run"), false);
    const fs::path folder = at("run") / "checkpoints";
    for (const char* gone : {"last-1.safetensors", "last-2.safetensors", ""}) {  // the last one is the whole folder
        fs::remove_all(folder / gone);
    }
    const auto before = files_of("run");
    const std::string message = fault(ExitCode::configuration, [&] { train(short_run("run"), true); });
    EXPECT_TRUE(has(message, "finds a model here but no checkpoint")) << message;
    EXPECT_TRUE(has(message, "would overwrite the model")) << message;
    EXPECT_EQ(files_of("run"), before);
}

// Killed after the first model was written and before a checkpoint of that moment was.
TEST_F(Resume, a_run_that_was_killed_before_its_first_save_goes_on_from_its_start) {
    Config whole = short_run("whole");
    whole.checkpoints.keep_last = 10;
    train(whole, false);
    copy_run("whole", "run");
    fs::remove(at("run") / "checkpoints" / "last-1.safetensors");
    fs::remove(at("run") / "checkpoints" / "last-2.safetensors");
    Config run = whole;
    run.checkpoints.directory = at("run");
    EXPECT_EQ(train(run, true).state.update, 2);
    EXPECT_EQ(bytes("run/model.safetensors"), bytes("whole/model.safetensors"));
    EXPECT_EQ(metrics("run"), metrics("whole"));
}

// What a start that was killed leaves: vocabularies and a configuration, nothing else.
TEST_F(Resume, a_new_run_makes_its_own_vocabulary) {
    const Config whole = short_run("whole");
    train(whole, false);
    for (const bool resume : {false, true}) {
        Config run = short_run(resume ? "resumed" : "plain");
        const fs::path directory = run.checkpoints.directory;
        fs::create_directories(directory);
        VocabularyConfig words;
        words.type = VocabularyType::word;
        for (const char* name : {"joint.spm", "source.spm", "target.spm"}) {
            train_vocabulary({at("train.src")}, words, 9, directory / name);
        }
        train(run, resume);
        EXPECT_EQ(read_bytes(directory / "joint.spm"), bytes("whole/joint.spm"));
        EXPECT_FALSE(fs::exists(directory / "source.spm"));
        EXPECT_FALSE(fs::exists(directory / "target.spm"));
        EXPECT_EQ(read_bytes(directory / "model.safetensors"), bytes("whole/model.safetensors"));
    }
}

// A start with no room for its files, with the user's vocabulary where the run's own will be.
TEST_F(Resume, a_start_without_room_removes_no_vocabulary) {
    Config run = short_run("run");
    fs::create_directories(at("run"));
    VocabularyConfig words;
    words.type = VocabularyType::word;
    for (const char* name : {"joint.spm", "source.spm", "target.spm"}) {
        train_vocabulary({at("train.src")}, words, 9, at("run") / name);
    }
    std::ofstream(at("run") / "config.yaml") << "old";
    run.vocabulary.source_model = at("run") / "joint.spm";
    const auto before = files_of("run");
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{100, room.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string given = fault(ExitCode::output, [&] { train(run, false); });
    Config own = short_run("run");
    const std::string made = fault(ExitCode::output, [&] { train(own, false); });
    ::setrlimit(RLIMIT_FSIZE, &room);
    std::signal(SIGXFSZ, handler);
    for (const std::string& message : {given, made}) {
        EXPECT_TRUE(has(message, "the previous file is untouched")) << message;
    }
    EXPECT_EQ(files_of("run"), before);

    const fs::file_time_type time = fs::last_write_time(at("run") / "joint.spm");
    train(run, false);
    EXPECT_EQ(bytes("run/joint.spm"), before.at("joint.spm"));
    EXPECT_EQ(fs::last_write_time(at("run") / "joint.spm"), time);
    EXPECT_FALSE(fs::exists(at("run") / "source.spm"));
}

// A run that trained without a checkpoint could not be resumed.
TEST_F(Resume, a_start_without_room_for_a_checkpoint_is_refused) {
    Config run = short_run("whole");
    run.vocabulary.normalization = "identity";  // the tables of others are larger than the model
    train(run, false);
    const auto enough_for_others = static_cast<rlim_t>(fs::file_size(at("whole") / "model.safetensors"));
    ASSERT_LT(fs::file_size(at("whole") / "joint.spm"), enough_for_others);
    ASSERT_LT(fs::file_size(at("whole") / "config.yaml"), enough_for_others);

    run.checkpoints.directory = at("run");
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{enough_for_others, room.rlim_max};
    const auto refuse = [&](bool resume) {
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
        const std::string message = fault(ExitCode::output, [&] { train(run, resume); });
        ::setrlimit(RLIMIT_FSIZE, &room);
        EXPECT_TRUE(has(message, "last-0.safetensors")) << message;
    };
    for (const bool resume : {false, true}) {
        refuse(resume);
        EXPECT_FALSE(fs::exists(at("run"))) << "what the start wrote has gone again";
    }
    fs::create_directories(at("run") / "checkpoints");
    std::ofstream(at("run") / "config.yaml") << "old";
    const auto before = files_of("run");
    refuse(false);
    EXPECT_EQ(files_of("run"), before);
    std::signal(SIGXFSZ, handler);
    train(run, true);
    EXPECT_EQ(read_bytes(at("run") / "model.safetensors"), read_bytes(at("whole") / "model.safetensors"));
}

TEST_F(Resume, a_given_vocabulary_that_the_run_would_remove_is_refused) {
    fs::create_directories(at("run"));
    VocabularyConfig words;
    words.type = VocabularyType::word;
    train_vocabulary({at("train.src")}, words, 9, at("run") / "source.spm");
    fs::create_symlink("run/source.spm", at("link.spm"));
    const auto before = files_of("run");
    for (const char* name : {"run/source.spm", "link.spm"}) {
        Config run = short_run("run");
        run.vocabulary.source_model = at(name);
        EXPECT_EQ(fault(ExitCode::configuration, [&] { train(run, false); }),
                  "vocabulary.source_model: " + path("run/source.spm") +
                      " is in checkpoints.directory, where training keeps joint.spm instead; move the file elsewhere, "
                      "or choose another checkpoints.directory");
        EXPECT_EQ(files_of("run"), before);
    }
}

// Links to a checkpoint, and to a file elsewhere.
TEST_F(Resume, a_run_replaces_links_and_leaves_what_they_name) {
    Config run = short_run("run");
    train(run, false);
    const std::string best = bytes("run/checkpoints/best-2.safetensors");
    copy_run("run", "elsewhere");
    const auto elsewhere = files_of("elsewhere");
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    fs::remove(at("run") / "model.safetensors");
    fs::create_symlink("checkpoints/best-2.safetensors", at("run") / "model.safetensors");
    fs::remove(at("run") / "config.yaml");
    fs::create_symlink("../elsewhere/config.yaml", at("run") / "config.yaml");
    run.training.max_updates = 3;
    train(run, true);
    EXPECT_EQ(bytes("run/checkpoints/best-2.safetensors"), best);
    EXPECT_FALSE(fs::is_symlink(at("run") / "model.safetensors"));
    EXPECT_EQ(files_of("elsewhere"), elsewhere);
}

// Opening a FIFO would block for ever.
TEST_F(Resume, what_is_not_a_file_in_place_of_one_is_refused) {
    for (const char* name : {"train.log", "metrics.jsonl", "joint.spm", "validation.best.txt"}) {
        fs::remove_all(at("run"));
        fs::create_directories(at("run"));
        const std::string fifo = at("run") / name;
        ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
        EXPECT_EQ(fault(ExitCode::output, [&] { train(short_run("run"), false); }),
                  fifo +
                      ": not a regular file, where training writes a file; remove it, or choose another "
                      "checkpoints.directory");
        EXPECT_FALSE(fs::exists(at("run") / "config.yaml"));
    }
}

TEST_F(Resume, the_log_of_a_run_tells_of_its_start) {
    Config run = short_run("run");
    run.runtime.log_level = LogLevel::info;
    train(run, false);
    EXPECT_TRUE(has(log_of("run"), "joint.spm: 12 pieces")) << log_of("run");
    EXPECT_TRUE(has(log_of("run"), "training data: 300 sentence pairs")) << log_of("run");
}

}  // namespace
}  // namespace softalign
