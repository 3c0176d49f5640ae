// Training in several processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/instructions.h"
#include "cli/program_outcome.h"
#include "distributed/many_processes.h"

namespace softalign {
namespace {

class TrainingInProcesses : public ManyProcesses {
protected:
    Outcome run(int processes, const std::string& name, const Arguments& options = {}) const {
        return run_alone(folder_, train(processes, name, options));
    }

    void expect_same_bytes(const std::vector<int>& numbers) const {
        expect_success(run(1, "one"));
        for (const int processes : numbers) {
            const std::string name = std::to_string(processes);
            // Of one worker each and of two by turns.
            const std::string workers = processes == 2 ? "2" : "1";
            expect_success(run(processes, name, {"--set", "runtime.workers=" + workers}));
            expect_same_run(name, "one");
        }
    }

    // Starts one rank of two by hand, with more options. `instructions`: what it may use of its processor.
    Outcome run_rank(int rank, const std::string& name, const Arguments& options,
                     const char* instructions = nullptr) const {
        const auto place = [&] {
            if (instructions != nullptr) {
                ::setenv("SOFTALIGN_INSTRUCTIONS", instructions, 1);
            }
            ::setenv("RANK", std::to_string(rank).c_str(), 1);
            ::setenv("WORLD_SIZE", "2", 1);
            ::setenv("SOFTALIGN_RENDEZVOUS", ("file://" + folder_.path(name + ".board")).c_str(), 1);
        };
        // Each its own folder, for what the process prints.
        const TemporaryFolder own;
        return run_alone(own, train(1, name, options), place);
    }

    std::map<int, Outcome> run_both(const std::string& name, const Arguments& first, const Arguments& second,
                                    const char* instructions_of_second = nullptr,
                                    const char* instructions_of_first = nullptr) const {
        std::map<int, Outcome> outcomes;
        Outcome other;
        std::thread thread([&] { other = run_rank(1, name, second, instructions_of_second); });
        outcomes[0] = run_rank(0, name, first, instructions_of_first);
        thread.join();
        outcomes[1] = other;
        return outcomes;
    }
};

TEST_F(TrainingInProcesses, EndsWithTheBytesOfOneProcess) {
    expect_same_bytes({2, 4, 8});
}

TEST_F(TrainingInProcesses, EndsWithTheBytesOfOneProcessInBfloat16) {
    config_.runtime.precision = Precision::bfloat16;
    expect_same_bytes({2});
}

// Of a batch of few sentences, the last ranks have none.
TEST_F(TrainingInProcesses, EndsWithTheBytesOfOneProcessWhereShardsAreEmpty) {
    config_.training.batch_unit = BatchUnit::tokens;
    config_.training.batch_size = 30;
    config_.training.accumulate = 1;
    config_.training.ema = 0.0;
    config_.training.optimizer.type = OptimizerType::adadelta;
    config_.training.optimizer.learning_rate = 1.0;
    expect_same_bytes({4, 8});
}

TEST_F(TrainingInProcesses, EndsWithTheBytesOfOneProcessWithMomentum) {
    config_.training.optimizer.type = OptimizerType::sgd;
    config_.training.optimizer.momentum = 0.9;
    config_.training.optimizer.learning_rate = 0.1;
    expect_same_bytes({2});
}

// The first process alone reads the model to start from, which need not be on other machines.
TEST_F(TrainingInProcesses, EndsWithTheBytesOfOneProcessFromAnotherModelWithFrozenPartsAndAMean) {
    expect_success(run(1, "start", {"--set", "training.max_updates=4"}));
    config_.training.start_from = folder_.path("start");
    config_.vocabulary.from_start_model = true;
    config_.training.freeze = {"encoder", "*embedding"};
    config_.training.max_updates = 24;
    config_.checkpoints.average = 2;
    config_.checkpoints.average_of = AverageOf::last;
    expect_same_bytes({2, 4});
    EXPECT_TRUE(has(read_bytes(folder_.path("4/train.log")), "mean of 2 models"));
}

TEST_F(TrainingInProcesses, EndsWithTheBytesOfOneProcessUnderMinimumRisk) {
    config_.training.minimum_risk.samples = 5;
    config_.training.minimum_risk.cross_entropy_weight = 0.1;
    expect_same_bytes({2});
}

TEST_F(TrainingInProcesses, GoesBackAsOneProcessDoes) {
    config_.training.optimizer.type = OptimizerType::sgd;
    config_.training.optimizer.learning_rate = 1e6;
    config_.training.optimizer.l2 = 1e6;  // the weights grow a billionfold in every update
    config_.training.clip_norm = 0.0;
    config_.training.divergence.action = DivergenceAction::go_back;
    config_.training.divergence.rate_factor = 1e-13;
    expect_success(run(1, "one"));
    expect_success(run(4, "four"));
    expect_same_run("four", "one");
    EXPECT_TRUE(has(read_bytes(folder_.path("four/train.log")), "back to update"));
}

TEST_F(TrainingInProcesses, GoesOnWithAnotherNumberOfProcesses) {
    expect_success(run(1, "one"));
    expect_success(run(4, "parts", {"--set", "training.max_updates=8"}));
    expect_success(run(1, "parts", {"--set", "training.max_updates=15"}));
    expect_success(run(2, "parts", {"--set", "training.max_updates=21"}));
    expect_success(run(8, "parts"));
    // A run that ends validates once more: only what training computes is the same.
    EXPECT_TRUE(newest_checkpoint("parts") == newest_checkpoint("one"));
}

TEST_F(TrainingInProcesses, ANumberThatDoesNotFitTheShardsIsRefused) {
    expect_fault(run(3, "three"), ExitCode::configuration, "a power of two, and at most training.shards; start 2 or 4");
    config_.training.shards = 2;
    expect_fault(run(4, "four"), ExitCode::configuration, "1 or 2 processes");
    EXPECT_FALSE(std::filesystem::exists(folder_.path("four/config.yaml")));
    config_.training.shards = 0;
    config_.training.batch_size = 3;
    expect_fault(run(4, "four"), ExitCode::configuration,
                 "4 processes are more than the sentences of a batch; start 2 at most");
    EXPECT_FALSE(std::filesystem::exists(folder_.path("four/config.yaml")));
}

TEST_F(TrainingInProcesses, OtherSettingsAreNamed) {
    for (const auto& [rank, outcome] : run_both("other", {}, {"--set", "training.seed=7"})) {
        expect_fault(outcome, ExitCode::configuration, "training.seed: 1 on rank 0 (");
        EXPECT_TRUE(has(outcome.err, "rank " + std::to_string(rank) + " (")) << outcome.err;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path("other/config.yaml")));
}

// Rank 0 says how many there are, but what a person wrote is compared.
TEST_F(TrainingInProcesses, OtherShardsAreNamed) {
    for (const auto& entry : run_both("other", {}, {"--set", "training.shards=4"})) {
        expect_fault(entry.second, ExitCode::configuration, "another training.shards than rank 0 (");
    }
}

TEST_F(TrainingInProcesses, AnotherPrecisionIsNamed) {
    for (const auto& entry : run_both("other", {}, {"--set", "runtime.precision=bfloat16"})) {
        expect_fault(entry.second, ExitCode::configuration, "another runtime.precision than rank 0 (");
    }
}

TEST_F(TrainingInProcesses, OtherInstructionsAreNamed) {
    if (instructions() == Instructions::none) {
        GTEST_SKIP() << "this processor has no instruction set that could be left out";
    }
    for (const auto& entry : run_both("other", {}, {}, "none")) {
        expect_fault(entry.second, ExitCode::processes, "another instruction set than rank 0 (");
    }
}

TEST_F(TrainingInProcesses, ProcessesWithAndWithoutAmxGoTogetherInFloat32) {
    if (instructions() != Instructions::amx) {
        GTEST_SKIP() << "this processor has no AMX";
    }
    config_.training.max_updates = 2;
    for (const auto& entry : run_both("same", {}, {}, "avx512")) {
        expect_success(entry.second);
    }
    const Arguments rounded = {"--set", "runtime.precision=bfloat16"};
    for (const auto& entry : run_both("other", rounded, rounded, "avx512")) {
        expect_fault(entry.second, ExitCode::processes, "another instruction set for bfloat16 than rank 0 (");
        EXPECT_TRUE(has(entry.second.err, "SOFTALIGN_INSTRUCTIONS=avx512")) << entry.second.err;
    }
}

TEST_F(TrainingInProcesses, ProcessesWithAndWithoutAvxVnniGoTogether) {
    if (instructions() < Instructions::avx_vnni) {
        GTEST_SKIP() << "this processor has no AVX2 with products of int8";
    }
    config_.training.max_updates = 2;
    config_.runtime.precision = Precision::bfloat16;
    for (const auto& entry : run_both("same", {}, {}, "avx2", "avx_vnni")) {
        expect_success(entry.second);
    }
}

TEST_F(TrainingInProcesses, OtherTextsAreNamed) {
    const std::string other = folder().write("other.b", read_bytes(folder_.path("train.b")) + "alpha\n");
    const std::string source = folder().write("other.a", read_bytes(folder_.path("train.a")) + "alpha\n");
    const auto outcomes = run_both(
        "other", {}, {"--set", "data.train_source=[" + source + "]", "--set", "data.train_target=[" + other + "]"});
    for (const auto& entry : outcomes) {
        expect_fault(entry.second, ExitCode::configuration, "data.train_target");
    }
}

TEST_F(TrainingInProcesses, WhyTheFirstCannotStartAllSay) {
    expect_success(run(1, "there"));
    Arguments line = train(2, "there");
    line.erase(std::find(line.begin(), line.end(), "--resume"));
    const Outcome outcome = run_alone(folder_, line);
    expect_fault(outcome, ExitCode::configuration, "this directory holds a run already");
    EXPECT_TRUE(has(outcome.err, "rank 0 (")) << outcome.err;
}

// Starts a launcher and gives it to `disturb` when some updates are done; returns its exit status.
class DisturbedTraining : public TrainingInProcesses {
protected:
    void SetUp() override {
        TrainingInProcesses::SetUp();
        config_.training.max_updates = 400;
        config_.validation.every = 20;
    }

    pid_t start(int processes, const std::string& name, const Arguments& options = {}) const {
        Arguments line = train(processes, name, options);
        const std::vector<char*> argv = argv_of(line);
        const std::string errors = folder_.path(name + ".err");
        const pid_t process = ::fork();
        if (process == 0) {
            ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDERR_FILENO);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        return process;
    }

    void wait_for_updates(const std::string& name) const {
        while (read_bytes(folder_.path(name + "/metrics.jsonl")).empty()) {  // the runner ends what waits for ever
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    static int status_of(pid_t process) {
        int status = 0;
        ::waitpid(process, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    std::string errors(const std::string& name) const { return read_bytes(folder_.path(name + ".err")); }
};

TEST_F(DisturbedTraining, AfterAKillOfAnyRankItGoesOnAsIfNothingHadHappened) {
    config_.training.max_updates = 120;
    expect_success(run(4, "whole"));
    std::mt19937 generator(std::random_device{}());
    int kills = 0;
    for (int round = 0; round < 8; ++round) {
        const pid_t launcher = start(4, "parts");
        const int victim = round % 4;
        while (ranks_of(launcher).size() < 4) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(generator() % 1500));
        const auto ranks = ranks_of(launcher);
        if (ranks.count(victim) > 0) {
            ::kill(ranks.at(victim), SIGKILL);
            ++kills;
        }
        const int status = status_of(launcher);
        EXPECT_NE(status, 75);
        // The others say who is gone, unless they had not met yet, or had all done their work.
        if (status != 0 && has(errors("parts"), "is gone")) {
            EXPECT_TRUE(has(errors("parts"), "rank " + std::to_string(victim) + " (")) << errors("parts");
        }
    }
    EXPECT_GT(kills, 0);
    expect_success(run(2, "parts"));
    expect_same_run("parts", "whole");
}

TEST_F(DisturbedTraining, OfTwoTheOneThatIsKilledIsNamedByTheOther) {
    for (const int victim : {0, 1}) {
        const pid_t launcher = start(2, "killed");
        wait_for_updates("killed");
        ::kill(ranks_of(launcher).at(victim), SIGKILL);
        EXPECT_EQ(status_of(launcher), 128 + SIGKILL);
        const std::string rank = "rank " + std::to_string(victim);
        EXPECT_TRUE(has(errors("killed"), rank + " was ended by signal 9")) << errors("killed");
        EXPECT_TRUE(has(errors("killed"), "softalign: error: " + rank + " (")) << errors("killed");
        EXPECT_TRUE(has(errors("killed"), "gone")) << errors("killed");
        std::filesystem::remove_all(folder_.path("killed"));
    }
}

TEST_F(DisturbedTraining, ASignalToAnyRankStopsAllAfterASave) {
    config_.training.max_updates = 120;
    expect_success(run(4, "whole"));
    for (const int rank : {0, 3}) {
        const std::string name = "asked " + std::to_string(rank);
        const pid_t launcher = start(4, name);
        wait_for_updates(name);
        ::kill(ranks_of(launcher).at(rank), SIGTERM);
        EXPECT_EQ(status_of(launcher), 75) << errors(name);
        expect_success(run(4, name));
        expect_same_run(name, "whole");
    }
}

TEST_F(DisturbedTraining, ARankThatIsStoppedIsNamed) {
    config_.runtime.distributed.timeout = 3.0;
    const pid_t launcher = start(4, "stopped");
    wait_for_updates("stopped");
    const pid_t victim = ranks_of(launcher).at(2);
    ::kill(victim, SIGSTOP);
    while (ranks_of(launcher).size() > 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(victim, SIGKILL);
    EXPECT_NE(status_of(launcher), 0);
    EXPECT_TRUE(has(errors("stopped"), "rank 2 (") && has(errors("stopped"), "has not answered")) << errors("stopped");
}

}  // namespace
}  // namespace softalign
