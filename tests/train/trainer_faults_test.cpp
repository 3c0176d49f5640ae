// Damaged checkpoints, full disks, two runs in one directory.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "config/load.h"
#include "train/run_directory.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

TEST_F(Training, falls_back_to_the_checkpoint_before_a_damaged_one) {
    Config whole = config("whole");
    whole.training.max_updates = 20;
    whole.validation.every = 100;
    train(whole, false);

    Config run = whole;
    run.checkpoints.directory = at("run");
    run.checkpoints.every_updates = 5;
    run.training.max_updates = 10;
    train(run, false);
    const fs::path newest = at("run") / "checkpoints" / "last-10.safetensors";
    ASSERT_TRUE(fs::exists(newest));
    ASSERT_TRUE(fs::exists(at("run") / "checkpoints" / "last-5.safetensors"));
    {
        std::fstream file(newest, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-3, std::ios::end);
        file.put('x');
    }
    run.training.max_updates = 20;
    train(run, true);
    EXPECT_EQ(read_bytes(at("run") / "model.safetensors"), read_bytes(at("whole") / "model.safetensors"));
    EXPECT_EQ(metrics("run"), metrics("whole"));

    // None left: said, and nothing is overwritten.
    for (const fs::directory_entry& entry : fs::directory_iterator(at("run") / "checkpoints")) {
        fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
    }
    run.training.max_updates = 30;
    const std::string message = fault(ExitCode::model, [&] { train(run, true); });
    EXPECT_NE(message.find("no checkpoint is left to go on from"), std::string::npos) << message;
}

TEST_F(Training, a_directory_is_for_one_process_at_a_time) {
    const Config run = config("run");
    fs::create_directories(at("run"));
    const FileLock lock((at("run") / "lock").string());
    const std::string message = fault(ExitCode::output, [&] { train(run, false); });
    EXPECT_NE(message.find("is training into this directory"), std::string::npos) << message;
    EXPECT_FALSE(fs::exists(at("run") / "config.yaml"));
}

TEST_F(Training, writes_over_no_file_that_it_reads) {
    fs::create_directories(at("run"));
    for (const char* name : {"validation.best.txt", "train.log", "report.html", "lock"}) {
        const fs::path mine = at("run") / name;
        fs::copy_file(at("valid.tgt"), mine);
        Config run = config("run");
        run.data.valid_target = mine;
        for (const bool resume : {false, true}) {
            const std::string message = fault(ExitCode::configuration, [&] { train(run, resume); });
            EXPECT_NE(message.find("would write over it, as " + std::string(name)), std::string::npos) << message;
        }
        EXPECT_EQ(read_bytes(mine), read_bytes(at("valid.tgt")));
        EXPECT_FALSE(fs::exists(at("run") / "config.yaml"));
        fs::remove(mine);
    }
    fs::create_symlink(at("valid.tgt"), at("run") / "validation.best.txt");
    const std::string before = read_bytes(at("valid.tgt"));
    train(config("run"), false);  // which replaces the link
    EXPECT_EQ(read_bytes(at("valid.tgt")), before);
}

// A vocabulary may be one of those in the directory.
TEST_F(Training, writes_over_no_vocabulary_and_no_configuration_that_it_reads) {
    train(config("old"), false);
    fs::create_directories(at("run"));
    const std::string vocabulary = (at("old") / "joint.spm").string();
    const std::string before = read_bytes(vocabulary);
    const std::string text = to_yaml(config("run"));
    const std::string configuration = at("mine.yaml").string();
    std::ofstream(configuration) << text;
    Config run = config("run");
    run.vocabulary.source_model = vocabulary;
    for (const char* name : {"lock", "train.log", "metrics.jsonl"}) {
        const fs::path link = at("run") / name;
        const std::string expected = "would write over it, as " + std::string(name);
        fs::create_symlink(vocabulary, link);
        std::string message = fault(ExitCode::configuration, [&] { train(run, false); });
        EXPECT_NE(message.find(expected), std::string::npos) << message;
        fs::remove(link);
        fs::create_symlink(configuration, link);
        message = fault(ExitCode::configuration, [&] { require_config_to_stay(run, configuration, true); });
        EXPECT_NE(message.find(expected), std::string::npos) << message;
        fs::remove(link);
    }
    fs::copy_file(vocabulary, at("run") / "validation.best.txt");
    run.vocabulary.source_model = at("run") / "validation.best.txt";
    const std::string message = fault(ExitCode::configuration, [&] { train(run, false); });
    EXPECT_NE(message.find("would write over it, as validation.best.txt"), std::string::npos) << message;
    EXPECT_EQ(read_bytes(vocabulary), before);
    EXPECT_EQ(read_bytes(configuration), text);
}

TEST_F(Training, adds_no_pieces_to_a_vocabulary_that_stays) {
    train(config("old"), false);
    fs::create_directories(at("run"));
    const fs::path mine = at("run") / "joint.spm";
    fs::copy_file(at("old") / "joint.spm", mine);
    const std::string before = read_bytes(mine);
    Config run = config("run");
    run.vocabulary.source_model = mine;
    run.data.tags = {"<bt>"};
    const std::string message = fault(ExitCode::configuration, [&] { train(run, false); });
    EXPECT_EQ(message.rfind(mine.string() + ": data.tags and vocabulary.placeholders add pieces", 0), 0U) << message;
    EXPECT_EQ(read_bytes(mine), before);
    EXPECT_FALSE(fs::exists(at("run") / "config.yaml"));
    run.data.tags.clear();
    train(run, false);
    EXPECT_EQ(read_bytes(mine), before);
}

TEST_F(Training, keeps_a_configuration_that_somebody_wrote) {
    const Config run = config("run");
    fs::create_directories(at("run"));
    const std::string mine = (at("run") / "config.yaml").string();
    std::ofstream(mine) << "# mine\n";
    const std::string message = fault(ExitCode::configuration, [&] { require_config_to_stay(run, mine); });
    EXPECT_NE(message.find(mine + ": training would write its resolved configuration over this file"),
              std::string::npos)
        << message;
    require_config_to_stay(config("other"), mine);
    std::ofstream(mine) << to_yaml(run);
    require_config_to_stay(run, mine);
    Config changed = run;
    changed.training.max_updates = 3;
    require_config_to_stay(changed, mine);
    std::ofstream(mine) << "# of a run\n";
    fs::create_directories(at("run") / "checkpoints");
    std::ofstream(at("run") / "checkpoints" / "last-0.safetensors") << "";  // of a start, which another one replaces
    fault(ExitCode::configuration, [&] { require_config_to_stay(run, mine); });
    require_config_to_stay(run, mine, true);
    std::ofstream(at("run") / "checkpoints" / "last-5.safetensors") << "";
    require_config_to_stay(run, mine);
}

TEST_F(Training, a_run_that_was_moved_is_resumed_only_where_it_is) {
    Config run = config("run");
    run.training.max_updates = 2;
    train(run, false);
    const std::string own = (at("run") / "config.yaml").string();
    require_run_of_config(run, own);
    fs::copy(at("run"), at("copy"), fs::copy_options::recursive);
    const std::string copied = (at("copy") / "config.yaml").string();
    const std::string old_one = "; to resume the run in " + at("run").string();
    const auto expect_refusal = [&](bool old_one_is_there) {
        const std::string message = fault(ExitCode::configuration, [&] { require_run_of_config(run, copied); });
        EXPECT_NE(message.find("add --set checkpoints.directory=" + fs::canonical(at("copy")).string()),
                  std::string::npos)
            << message;
        EXPECT_EQ(message.find(old_one) != std::string::npos, old_one_is_there) << message;
    };
    expect_refusal(true);
    fs::remove_all(at("run"));
    expect_refusal(false);
    require_run_of_config(run, at("config.yaml").string());  // a file of no run
    require_run_of_config(config("other"), copied);          // as --set says
    std::ofstream(at("checkpoints")) << "somebody's file";
    require_run_of_config(run, at("config.yaml").string());
    const fs::path odd = at("a #2: b's");
    fs::copy(at("copy"), odd, fs::copy_options::recursive);
    const std::string message =
        fault(ExitCode::configuration, [&] { require_run_of_config(run, (odd / "." / "config.yaml").string()); });
    EXPECT_NE(
        message.find("--set 'checkpoints.directory=\"" + (fs::canonical(at("")) / "a #2: b").string() + "'\\''s\"'"),
        std::string::npos)
        << message;
    run.checkpoints.directory = at("copy");
    require_run_of_config(run, copied);
    run.training.max_updates = 4;
    EXPECT_EQ(train(run, true).state.update, 4);
}

// A directory in the way of the file that a save is renamed to: saving fails, training does not, and the next save
// works.
TEST_F(Training, outlasts_a_save_that_fails) {
    Config whole = config("whole");
    whole.training.max_updates = 20;
    whole.validation.every = 100;
    whole.checkpoints.every_updates = 5;
    train(whole, false);

    Config run = whole;
    run.checkpoints.directory = at("run");
    fs::create_directories(at("run") / "checkpoints" / "last-5.safetensors" / "in the way");
    train(run, false);
    EXPECT_EQ(read_bytes(at("run") / "model.safetensors"), read_bytes(at("whole") / "model.safetensors"));
    EXPECT_TRUE(fs::is_regular_file(at("run") / "checkpoints" / "last-20.safetensors"));
}

// No room for anything longer than some bytes, as on a full disk.
TEST_F(Training, says_so_where_the_end_of_a_run_finds_no_room) {
    Config run = config("run");
    run.training.max_updates = 4;
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    train(run, false);
    const std::string before = read_bytes(at("run") / "checkpoints" / "last-4.safetensors");

    run.training.max_updates = 8;
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{20000, room.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string message = fault(ExitCode::output, [&] { train(run, true); });
    ::setrlimit(RLIMIT_FSIZE, &room);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(message.find("--resume"), std::string::npos) << message;
    EXPECT_EQ(read_bytes(at("run") / "checkpoints" / "last-4.safetensors"), before);

    const TrainingResult result = train(run, true);
    EXPECT_EQ(result.state.update, 8);
    Config whole = run;
    whole.checkpoints.directory = at("whole");
    train(whole, false);
    EXPECT_EQ(read_bytes(at("run") / "model.safetensors"), read_bytes(at("whole") / "model.safetensors"));
}

}  // namespace
}  // namespace softalign
