#include "journal/metrics_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.h"
#include "base/temporary.h"

namespace softalign {
namespace {

class MetricsReader : public testing::Test {
protected:
    MetricsRecords read(const std::string& content) {
        std::ofstream(path_, std::ios::binary) << content;
        return read_metrics(path_);
    }

    TemporaryDirectory directory_{"metrics"};
    std::string path_ = directory_.path() + "/metrics.jsonl";
};

TEST_F(MetricsReader, ReadsWhatTheLogWrites) {
    MetricsLog log(path_);
    log.write({{"type", "train"}, {"update", 1}, {"loss", 2.5}});
    log.write({{"type", "train"}, {"update", 2}, {"loss", 1.5}});
    const MetricsRecords read = read_metrics(path_);
    EXPECT_EQ(read.records.size(), 2U);
    EXPECT_EQ(read.records[1]["loss"], 1.5);
    EXPECT_TRUE(read.problems.empty());
}

TEST_F(MetricsReader, LastLineOfAKilledRunIsLeftOutAndTold) {
    const MetricsRecords records = read("{\"update\":1}\n{\"update\":2}\n{\"update\":3,\"lo");
    EXPECT_EQ(records.records.size(), 2U);
    ASSERT_EQ(records.problems.size(), 1U);
    EXPECT_NE(records.problems[0].find("the last line (3) is incomplete"), std::string::npos);
}

TEST_F(MetricsReader, WholeLastLineWithoutLineEndCounts) {
    EXPECT_EQ(read("{\"update\":1}").records.size(), 1U);
}

TEST_F(MetricsReader, HostileLinesAreCounted) {
    const MetricsRecords records = read(std::string("{\"update\":1}\nnonsense\n[1,2]\n\"text\"\n\n\xFF\xFE\n") +
                                        std::string(3, '\0') + "\n" + std::string(5000, '[') + "\n{\"update\":2}\n");
    EXPECT_EQ(records.records.size(), 2U);
    ASSERT_EQ(records.problems.size(), 1U);
    EXPECT_NE(records.problems[0].find("6 lines are not records (the first is line 2)"), std::string::npos);
}

TEST_F(MetricsReader, EmptyFileHasNothing) {
    EXPECT_TRUE(read("").records.empty());
    EXPECT_TRUE(read("").problems.empty());
}

TEST_F(MetricsReader, MissingFileAndDirectoryAreNamed) {
    for (const std::string& path : {directory_.path() + "/none", directory_.path()}) {
        try {
            read_metrics(path);
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::data);
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace softalign
