#include "train/journal.h"

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/captured_log.h"
#include "base/has.h"
#include "train/training_test.h"

namespace softalign {
namespace {

class JournalTest : public Training {
protected:
    void SetUp() override {
        Training::SetUp();
        config_.runtime.log_every = 1;
        config_.training.max_updates = 100;
    }

    static UpdateReport report(std::int64_t update) {
        UpdateReport report;
        report.update = update;
        report.epoch = 1;
        report.batches_done = update;
        report.batches_in_epoch = 200;
        report.sums.objective = 12.0;
        report.sums.tokens = 6;
        return report;
    }

    Config config_;
};

TEST_F(JournalTest, TellsOfUpdatesThatWereShortOfMemoryEverMoreSeldom) {
    Journal journal(config_, directory_);
    journal.start(RunState());
    std::string numbers;
    for (std::int64_t update = 1; update <= 9; ++update) {
        const CapturedLog log;
        UpdateReport short_of_memory = report(update);
        short_of_memory.sums.computed_again = update == 3 ? 0 : 2;
        short_of_memory.sums.cut_into = update == 5 ? 4 : 1;
        journal.updated(short_of_memory);
        if (has(log.text(), "memory ran out; 2 of its parts were computed again one after another")) {
            numbers += std::to_string(update) + " ";
        }
        EXPECT_EQ(has(log.text(), "and cut into 4, 4 such updates so far"), update == 5) << log.text();
    }
    EXPECT_EQ(numbers, "1 2 5 9 ") << "the first, the second, the fourth, the eighth";
}

TEST_F(JournalTest, RecordsThatFindNoRoomAreKeptAndWrittenWhenThereIsSome) {
    Journal journal(config_, directory_);
    journal.start(RunState());
    journal.updated(report(1));
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{16, room.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    std::string told;
    {
        const CapturedLog log;
        journal.updated(report(2));
        journal.updated(report(3));
        told = log.text();
    }
    ::setrlimit(RLIMIT_FSIZE, &room);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(has(told, "warning")) << told;
    EXPECT_TRUE(has(told, "metrics.jsonl")) << told;
    EXPECT_TRUE(has(told, "File too large")) << told;
    journal.updated(report(4));
    std::vector<std::int64_t> updates;
    for (const nlohmann::json& record : metrics_without_clocks(at("metrics.jsonl"))) {
        updates.push_back(record["update"]);
    }
    EXPECT_EQ(updates, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST_F(JournalTest, ARunGoesBackOnAFullDisk) {
    Journal journal(config_, directory_);
    journal.start(RunState());
    for (std::int64_t update = 1; update <= 4; ++update) {
        journal.updated(report(update));
    }
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{16, room.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    journal.updated(report(5));
    RunState state;
    state.update = 2;
    state.window.objective = 24.0;
    state.window.tokens = 6;
    EXPECT_NO_THROW(journal.start(state));
    journal.updated(report(3));
    ::setrlimit(RLIMIT_FSIZE, &room);
    std::signal(SIGXFSZ, handler);
    journal.sync();
    std::vector<std::pair<std::int64_t, double>> found;
    for (const nlohmann::json& record : metrics_without_clocks(at("metrics.jsonl"))) {
        found.emplace_back(record["update"], record["loss"]);
    }
    EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, double>>{{1, 2.0}, {2, 2.0}, {3, 3.0}}));
}

TEST_F(JournalTest, ValidationsTellThePeakOfTheMemory) {
    Journal journal(config_, directory_);
    journal.start(RunState());
    const CapturedLog log;
    journal.validated(RunState(), ValidationResult(), true, 1.0);
    EXPECT_TRUE(has(log.text(), "; peak memory ")) << log.text();
    std::ifstream file(at("metrics.jsonl"));
    EXPECT_GT(nlohmann::json::parse(file)["peak_memory"].get<double>(), 1e6);
}

}  // namespace
}  // namespace softalign
