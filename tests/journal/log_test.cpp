#include "journal/log.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/full_pipe.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class LogTest : public testing::Test {
protected:
    void SetUp() override {
        path_ = (fs::temp_directory_path() / ("softalign_log_test_" + std::to_string(::getpid()) + ".log")).string();
        fs::remove(path_);
    }
    void TearDown() override {
        set_up_logging(LogLevel::info);  // lets go of the file
        fs::remove(path_);
    }

    std::string file_content() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    std::string path_;
};

TEST_F(LogTest, GoesToStderrAndTheFile) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    set_up_logging(LogLevel::info, path_);
    spdlog::info("a figure: {}", 42);
    spdlog::debug("not this");
    const std::string talk = testing::internal::GetCapturedStderr();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_TRUE(std::regex_match(talk, std::regex("\\[\\d\\d:\\d\\d:\\d\\d\\] info a figure: 42\n"))) << talk;
    const std::string kept = file_content();
    EXPECT_TRUE(
        std::regex_match(kept, std::regex("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} info a figure: 42\n")))
        << kept;
}

TEST_F(LogTest, OfARunIsHeldBackUntilItsFileIsOpened) {
    testing::internal::CaptureStderr();
    {
        RunLog log(LogLevel::info);
        spdlog::info("before");
        EXPECT_FALSE(fs::exists(path_));
        log.open(path_);
        spdlog::info("after");
    }
    spdlog::info("at the end");
    EXPECT_TRUE(std::regex_match(file_content(), std::regex(".* info before\n.* info after\n.* info at the end\n")))
        << file_content();
    { const RunLog never_opened(LogLevel::info); }
    spdlog::info("elsewhere");
    EXPECT_FALSE(std::regex_search(file_content(), std::regex("elsewhere")));
    EXPECT_TRUE(
        std::regex_search(testing::internal::GetCapturedStderr(), std::regex("info before\n(.*\n)*.*elsewhere")));
}

TEST_F(LogTest, NothingIsLostWhereStandardErrorDoesNotBlock) {
    FullPipe pipe;
    const int saved = ::dup(STDERR_FILENO);
    ASSERT_GE(::dup2(pipe.to_write(), STDERR_FILENO), 0);
    std::string read;
    const std::string message(1000, 'm');
    constexpr std::size_t line = 11 + 5 + 1000 + 1;  // "[HH:MM:SS] info ", the message and the line feed
    std::thread reader([&] { read = pipe.read_behind(300 * line); });
    set_up_logging(LogLevel::info);
    for (int i = 0; i < 300; ++i) {
        spdlog::info("{}", message);
    }
    ::dup2(saved, STDERR_FILENO);
    ::close(saved);
    pipe.close_to_write();
    reader.join();
    EXPECT_EQ(read.size(), 300 * line);
}

TEST_F(LogTest, SpellsWhatATerminalWouldObey) {
    testing::internal::CaptureStderr();
    set_up_logging(LogLevel::info, path_);
    spdlog::warn("{}: \x1B]0;title\a\r\xFF", "M\xC3\xBCller");
    const std::string shown = "warning M\xC3\xBCller: \\x1B]0;title\\x07\\x0D\\xFF\n";
    EXPECT_NE(testing::internal::GetCapturedStderr().find(shown), std::string::npos);
    EXPECT_NE(file_content().find(shown), std::string::npos);
}

TEST_F(LogTest, AppendsToTheFile) {
    testing::internal::CaptureStderr();
    set_up_logging(LogLevel::info, path_);
    spdlog::info("first");
    set_up_logging(LogLevel::info, path_);
    spdlog::info("second");
    testing::internal::GetCapturedStderr();
    const std::string kept = file_content();
    EXPECT_NE(kept.find("first"), std::string::npos);
    EXPECT_LT(kept.find("first"), kept.find("second"));
}

TEST_F(LogTest, KeepsToTheLevel) {
    testing::internal::CaptureStderr();
    set_up_logging(LogLevel::debug);
    spdlog::debug("one");
    set_up_logging(LogLevel::warning);
    spdlog::info("two");
    spdlog::warn("three");
    set_up_logging(LogLevel::error);
    spdlog::warn("four");
    spdlog::error("five");
    const std::string talk = testing::internal::GetCapturedStderr();
    EXPECT_NE(talk.find("debug one"), std::string::npos);
    EXPECT_EQ(talk.find("two"), std::string::npos);
    EXPECT_NE(talk.find("warning three"), std::string::npos);
    EXPECT_EQ(talk.find("four"), std::string::npos);
    EXPECT_NE(talk.find("error five"), std::string::npos);
}

TEST_F(LogTest, AFileThatCannotBeOpenedIsAnError) {
    try {
        set_up_logging(LogLevel::info, "/no/such/directory/train.log");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        EXPECT_STREQ(error.what(),
                     "/no/such/directory/train.log: cannot open the log file: No such file or directory; create its "
                     "directory or choose one that you may write to");
    }
}

}  // namespace
}  // namespace softalign
