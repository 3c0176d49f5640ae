#include "journal/metrics_log.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class MetricsLogTest : public testing::Test {
protected:
    void SetUp() override {
        path_ = (fs::temp_directory_path() / ("softalign_metrics_" + std::to_string(::getpid()) + ".jsonl")).string();
        fs::remove(path_);
    }
    void TearDown() override { fs::remove(path_); }

    void put(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
    std::string content() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    std::string path_;
};

TEST_F(MetricsLogTest, WritesALineAtOnce) {
    MetricsLog log(path_);
    log.write({{"update", 10}, {"loss", 2.5}});
    EXPECT_EQ(content(), "{\"update\":10,\"loss\":2.5}\n");
    log.write({{"update", 20}, {"loss", std::nan("")}});
    EXPECT_EQ(content(), "{\"update\":10,\"loss\":2.5}\n{\"update\":20,\"loss\":null}\n");
}

TEST_F(MetricsLogTest, StartsAnew) {
    put("{\"update\":10}\n");
    MetricsLog log(path_);
    log.keep({0, 0});
    EXPECT_EQ(content(), "");
}

TEST_F(MetricsLogTest, ResumeCutsTheUpdatesThatWillBeDoneAgain) {
    put("{\"type\":\"start\"}\n{\"update\":10}\n{\"update\":20}\n{\"update\":30}\n{\"type\":\"end\"}\n");
    MetricsLog log(path_);
    log.keep({20, 20});
    EXPECT_EQ(content(), "{\"type\":\"start\"}\n{\"update\":10}\n{\"update\":20}\n");
    log.write({{"update", 30}});
    EXPECT_EQ(content(), "{\"type\":\"start\"}\n{\"update\":10}\n{\"update\":20}\n{\"update\":30}\n");
}

TEST_F(MetricsLogTest, ResumeCutsAHalfWrittenLine) {
    put("{\"update\":10}\n{\"update\":11,\"lo");
    MetricsLog log(path_);
    log.keep({100, 100});
    EXPECT_EQ(content(), "{\"update\":10}\n");
}

TEST_F(MetricsLogTest, ResumeCutsALineWithoutItsEnd) {
    put("{\"update\":10}\n{\"update\":1}");  // the start of 11, which happens to read as an object
    MetricsLog log(path_);
    log.keep({100, 100});
    EXPECT_EQ(content(), "{\"update\":10}\n");
}

TEST_F(MetricsLogTest, ResumeCutsAValidationThatWasNotSaved) {
    const std::string train = "{\"type\":\"train\",\"update\":10}\n";
    const std::string validation = "{\"type\":\"validation\",\"update\":10}\n";
    put(train + validation);
    MetricsLog log(path_);
    log.keep({10, 10});
    EXPECT_EQ(content(), train + validation);
    log.keep({10, 5});
    EXPECT_EQ(content(), train);
}

TEST_F(MetricsLogTest, ADamagedLineAmongWholeOnesStays) {
    put("{\"update\":10}\n{\"upd\n{\"update\":30}\n\n{\"up\n");
    MetricsLog log(path_);
    log.keep({100, 100});
    EXPECT_EQ(content(), "{\"update\":10}\n{\"upd\n{\"update\":30}\n");
}

TEST_F(MetricsLogTest, ResumeWithoutAFileStartsOne) {
    MetricsLog log(path_);
    log.keep({100, 100});
    log.write({{"update", 101}});
    EXPECT_EQ(content(), "{\"update\":101}\n");
}

TEST_F(MetricsLogTest, SaysWhereItCannotWrite) {
    try {
        MetricsLog log("/no/such/directory/metrics.jsonl");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        EXPECT_NE(std::string(error.what()).find("/no/such/directory/metrics.jsonl: cannot open: No such"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace softalign
