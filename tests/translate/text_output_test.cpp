#include "translate/text_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/full_pipe.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class TextOutputTest : public testing::Test {
protected:
    void SetUp() override {
        handler_ = std::signal(SIGPIPE, SIG_IGN);
        std::string pattern = (fs::temp_directory_path() / "softalign-output-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }

    void TearDown() override {
        fs::remove_all(directory_);
        std::signal(SIGPIPE, handler_);
    }

    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }

    static std::string content(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    fs::path directory_;
    void (*handler_)(int) = SIG_DFL;  // before the test
};

std::string message_of(const std::function<void()>& action, ExitCode code = ExitCode::output) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code);
        return error.what();
    }
    return "no error";
}

TEST_F(TextOutputTest, WhatAShellHasOpenedIsWrittenToAndNotReplaced) {
    const fs::path path = directory_ / "log";
    std::ofstream(path) << "before\n";
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND);
    ASSERT_GE(descriptor, 0);
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
        TextOutput output(folder + std::to_string(descriptor));
        output.write_line("line");
        output.close();
    }
    ASSERT_EQ(::write(descriptor, "after\n", 6), 6);  // it is open still
    ::close(descriptor);
    EXPECT_EQ(content(path), "before\nline\nline\nafter\n");
    EXPECT_EQ(entries(), 1U);
    EXPECT_NE(message_of([] { TextOutput("/dev/fd/7654321"); }).find("/dev/fd/7654321: cannot open it"),
              std::string::npos);
}

TEST_F(TextOutputTest, AFileAppearsWholeWhenItIsClosed) {
    const fs::path path = directory_ / "out.txt";
    TextOutput output(path);
    const std::string line(50000, 'x');
    for (int i = 0; i < 5; ++i) {
        output.write_line(line);
    }
    output.flush();
    EXPECT_FALSE(fs::exists(path));
    output.close();
    EXPECT_EQ(fs::file_size(path), 5U * 50001U);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(TextOutputTest, AFileThatIsNotClosedLeavesTheOldOne) {
    const fs::path path = directory_ / "out.txt";
    std::ofstream(path) << "old\n";
    {
        TextOutput output(path);
        output.write_line("new");
        output.flush();
    }
    EXPECT_EQ(content(path), "old\n");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(TextOutputTest, APipeGetsWhatIsFlushed) {
    const fs::path path = directory_ / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::string first;
    std::string rest;
    std::thread reader([&] {
        std::ifstream pipe(path);
        std::getline(pipe, first);
        std::getline(pipe, rest);
    });
    TextOutput output(path);
    output.write_line("one");
    output.flush();
    output.write_line("two");
    output.close();
    reader.join();
    EXPECT_EQ(first, "one");
    EXPECT_EQ(rest, "two");
    EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(TextOutputTest, WaitsForAPipeThatDoesNotBlock) {
    FullPipe pipe;
    TextOutput output("/dev/fd/" + std::to_string(pipe.to_write()));
    const std::string line(1000, 'x');
    std::string expected;
    for (int i = 0; i < 300; ++i) {
        expected += line + "\n";
    }
    std::string read;
    std::thread reader([&] { read = pipe.read_behind(expected.size()); });
    for (int i = 0; i < 300; ++i) {
        output.write_line(line);
    }
    output.close();
    reader.join();
    EXPECT_EQ(read, expected);
}

TEST_F(TextOutputTest, AReaderThatHasGoneIsToldApart) {
    const fs::path path = directory_ / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread reader([&] { std::ifstream pipe(path); });
    TextOutput output(path);
    reader.join();
    output.write_line("one");
    const std::string message = message_of([&] { output.flush(); }, ExitCode::reader_gone);
    EXPECT_NE(message.find("pipe: the program that reads it has ended"), std::string::npos) << message;
}

TEST_F(TextOutputTest, AFullDeviceIsAnError) {
    if (!fs::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full here";
    }
    TextOutput output("/dev/full");
    output.write_line("one");
    const std::string message = message_of([&] { output.close(); });
    EXPECT_NE(message.find("/dev/full: cannot write"), std::string::npos) << message;
}

TEST_F(TextOutputTest, PathsThatCannotBeWrittenAreErrorsAtOnce) {
    const std::string missing = (directory_ / "no" / "out.txt").string();
    EXPECT_NE(message_of([&] { TextOutput output(missing); }).find("no/out.txt"), std::string::npos);
    const std::string is_directory = directory_.string();
    EXPECT_NE(message_of([&] { TextOutput output(is_directory); }).find(is_directory), std::string::npos);
}

TEST_F(TextOutputTest, StandardOutputIsNamedSo) {
    const int saved = ::dup(STDOUT_FILENO);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_GE(::dup2(ends[1], STDOUT_FILENO), 0);
    ::close(ends[0]);
    ::close(ends[1]);
    TextOutput output("-");
    output.write_line("one");
    const std::string message = message_of([&] { output.close(); }, ExitCode::reader_gone);
    ::dup2(saved, STDOUT_FILENO);
    ::close(saved);
    EXPECT_NE(message.find("<standard output>: "), std::string::npos) << message;
}

}  // namespace
}  // namespace softalign
