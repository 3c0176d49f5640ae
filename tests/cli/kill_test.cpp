// `train` killed at random moments and resumed, as after a power cut.
#include <gtest/gtest.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/command_test.h"
#include "train/metrics_records.h"

namespace softalign {
namespace {

using Clock = std::chrono::steady_clock;

class KilledTraining : public CommandTest {
protected:
    void SetUp() override {
        const RandomPairs pairs = random_pairs(120);
        Config config = small_model_config();
        config.data.train_source = {folder_.write("train.a", pairs.source)};
        config.data.train_target = {folder_.write("train.b", pairs.target)};
        config.data.valid_source = folder_.write("valid.a", "alpha bravo\ndelta echo golf\n");
        config.data.valid_target = folder_.write("valid.b", "bravo alpha\ngolf\n");
        config.vocabulary.type = VocabularyType::unigram;
        config.vocabulary.size = 24;
        config.vocabulary.sampling_alpha = 0.5;  // so that the segmentation has to come back too
        config.model.dropout.output = 0.2;
        config.training.ema = 0.9;
        config.training.batch_size = 8;
        config.training.accumulate = 2;
        config.training.max_epochs = 20;  // 160 updates
        config.validation.every = 3;
        config.validation.patience = 0;
        config.checkpoints.every_updates = 7;
        config.checkpoints.keep_best = 2;
        config.report.html = false;
        config.runtime.log_every = 5;
        config.runtime.log_level = LogLevel::error;
        folder_.write("config.yaml", to_yaml(config));
    }

    pid_t start(const std::string& run) const {
        const std::string config = folder_.path("config.yaml");
        const std::string directory = "checkpoints.directory=" + folder_.path(run);
        const pid_t process = ::fork();
        if (process == 0) {
            std::signal(SIGINT, SIG_DFL);  // a shell's background has it ignored
            ::execl(SOFTALIGN_PROGRAM, SOFTALIGN_PROGRAM, "train", config.c_str(), "--resume", "--set",
                    directory.c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
        return process;
    }

    // When it has done some updates.
    void wait_for_updates(const std::string& run) const {
        const std::string metrics = folder_.path(run + "/metrics.jsonl");
        for (int tries = 0; tries < 12000 && read_bytes(metrics).empty(); ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    void expect_same_run(const std::string& run, const std::string& whole, const std::string& what) const {
        for (const char* file : {"/model.safetensors", "/validation.best.txt", "/joint.spm"}) {
            EXPECT_EQ(read_bytes(folder_.path(run + file)), read_bytes(folder_.path(whole + file))) << file << what;
        }
        EXPECT_EQ(metrics_without_clocks(folder_.path(run + "/metrics.jsonl")),
                  metrics_without_clocks(folder_.path(whole + "/metrics.jsonl")))
            << what;
    }

    static int wait_for(pid_t process) {
        int status = 0;
        ::waitpid(process, &status, 0);
        return status;
    }
};

TEST_F(KilledTraining, EndsWithTheBytesOfARunThatWasNotDisturbed) {
    const auto begin = Clock::now();
    ASSERT_EQ(wait_for(start("whole")), 0);
    const std::chrono::duration<double> whole = Clock::now() - begin;

    std::mt19937 generator(std::random_device{}());
    std::uniform_real_distribution<double> share(0.2, 1.0);
    int kills = 0;
    std::string moments;
    for (int round = 0; round < 40; ++round) {
        const pid_t process = start("parts");
        // Later and later, so that the run comes to its end whatever a start takes here.
        const auto moment = whole * share(generator) * (0.5 + 0.1 * round);
        std::this_thread::sleep_for(moment);
        ::kill(process, SIGKILL);
        const int status = wait_for(process);
        if (WIFEXITED(status)) {
            ASSERT_EQ(WEXITSTATUS(status), 0) << moments;
            break;
        }
        ++kills;
        moments += std::to_string(moment.count()) + " s, ";
    }
    ASSERT_GT(kills, 0);
    expect_same_run("parts", "whole", " after kills at " + moments);
}

TEST_F(KilledTraining, SavesAndEndsWithStatus75WhereItIsAskedTo) {
    ASSERT_EQ(wait_for(start("whole")), 0);
    for (const int signal : {SIGINT, SIGTERM}) {
        SCOPED_TRACE(::strsignal(signal));
        const std::string run = "asked by " + std::to_string(signal);
        const pid_t process = start(run);
        wait_for_updates(run);
        ::kill(process, signal);
        const int status = wait_for(process);
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 75);
        EXPECT_EQ(wait_for(start(run)), 0);
        expect_same_run(run, "whole", "");
    }
}

}  // namespace
}  // namespace softalign
