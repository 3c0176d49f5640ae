#include "base/appended_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/temporary_folder.h"

namespace softalign {
namespace {

class AppendedFileTest : public testing::Test {
protected:
    std::string bytes() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    TemporaryFolder folder_;
    const std::string path_ = folder_.path("file");
};

TEST_F(AppendedFileTest, GoesOnAtTheEnd) {
    AppendedFile(path_).write("one\n");
    AppendedFile file(path_);
    EXPECT_TRUE(file.write("two\n"));
    EXPECT_TRUE(file.write("three\n"));
    EXPECT_EQ(bytes(), "one\ntwo\nthree\n");
}

TEST_F(AppendedFileTest, KeepsWhatHasNoRoomAndWritesItLater) {
    AppendedFile file(path_);
    EXPECT_TRUE(file.write("0123456789\n"));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{15, before.rlim_max};  // four bytes more
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool first = file.write("abcdefghij\n");
    const bool second = file.write("next\n");
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_FALSE(first);
    EXPECT_FALSE(second);
    EXPECT_EQ(file.reason(), "File too large");
    EXPECT_EQ(bytes(), "0123456789\nabcd");
    EXPECT_TRUE(file.write("last\n"));
    EXPECT_EQ(bytes(), "0123456789\nabcdefghij\nnext\nlast\n");
}

TEST_F(AppendedFileTest, IsCutOnAFullDiskToo) {
    AppendedFile file(path_);
    EXPECT_TRUE(file.write("0123456789\n"));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{15, before.rlim_max};  // four bytes more
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool written = file.write("abcdefghij\n");
    const bool synced = file.sync();
    const std::string all = file.content();
    file.cut(20);
    const std::string most = file.content();
    file.cut(13);
    const std::string some = file.content();
    file.cut(4);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_FALSE(written);
    EXPECT_FALSE(synced);
    EXPECT_EQ(all, "0123456789\nabcdefghij\n");
    EXPECT_EQ(most, "0123456789\nabcdefghi");
    EXPECT_EQ(some, "0123456789\nab");
    EXPECT_EQ(bytes(), "0123");
    EXPECT_TRUE(file.write("x\n"));
    EXPECT_TRUE(file.sync());
    EXPECT_EQ(bytes(), "0123x\n");
    file.cut(100);
    EXPECT_EQ(bytes(), "0123x\n");
}

TEST_F(AppendedFileTest, SaysWhyItCannotBeOpened) {
    try {
        AppendedFile file(folder_.path("not there/file"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos);
    }
}

}  // namespace
}  // namespace softalign
