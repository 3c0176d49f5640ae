#include "base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class AtomicFileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "softalign_atomic_XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
        path_ = directory_ + "/file";
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::size_t files_in_directory() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }

    std::string fault(const std::string& path, const std::string& content) const {
        try {
            write_file_atomically(path, content);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::output);
            return error.what();
        }
        return "no error";
    }

    std::string directory_;
    std::string path_;
};

TEST_F(AtomicFileTest, WritesAndReplaces) {
    write_file_atomically(path_, "first");
    EXPECT_EQ(content_of(path_), "first");
    write_file_atomically(path_, std::string("a\0b", 3));
    EXPECT_EQ(content_of(path_), std::string("a\0b", 3));
    EXPECT_EQ(files_in_directory(), 1U);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
    write_file_atomically(path_, "old");
    {
        AtomicFile file(path_);
        file.write("new", 3);
        EXPECT_EQ(content_of(path_), "old");
    }
    EXPECT_EQ(content_of(path_), "old");
    EXPECT_EQ(files_in_directory(), 1U);
}

TEST_F(AtomicFileTest, TwoWritersOfOnePathDoNotMix) {
    AtomicFile first(path_);
    AtomicFile second(path_);
    first.write("first", 5);
    second.write("second", 6);
    second.commit();
    first.commit();
    EXPECT_EQ(content_of(path_), "first");
    EXPECT_EQ(files_in_directory(), 1U);
}

TEST_F(AtomicFileTest, TwoWritersWithNamedTemporariesDoNotMix) {
    AtomicFile first(path_, AtomicFile::Temporary::named);
    AtomicFile second(path_, AtomicFile::Temporary::named);
    EXPECT_EQ(files_in_directory(), 2U);
    first.write("first", 5);
    second.write("second", 6);
    second.commit();
    first.commit();
    EXPECT_EQ(content_of(path_), "first");
    EXPECT_EQ(files_in_directory(), 1U);
}

// A process that writes half of a file and is killed.
void write_and_be_killed(const std::string& path, AtomicFile::Temporary temporary) {
    const pid_t process = ::fork();
    if (process == 0) {
        AtomicFile file(path, temporary);
        file.write("half", 4);
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    ASSERT_TRUE(WIFSIGNALED(status));
}

TEST_F(AtomicFileTest, AKilledWriterLeavesNothing) {
    const int unnamed = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (unnamed < 0) {
        GTEST_SKIP() << "the file system has no files without a name";
    }
    ::close(unnamed);
    write_and_be_killed(path_, AtomicFile::Temporary::unnamed_if_possible);
    EXPECT_EQ(files_in_directory(), 0U);
}

TEST_F(AtomicFileTest, TheNextWriterRemovesWhatAKilledOneLeft) {
    for (const auto next : {AtomicFile::Temporary::named, AtomicFile::Temporary::unnamed_if_possible}) {
        write_and_be_killed(path_, AtomicFile::Temporary::named);
        EXPECT_TRUE(fs::exists(path_ + ".tmp-0"));
        {
            AtomicFile file(path_, next);
            file.write("whole", 5);
            file.commit();
        }
        EXPECT_EQ(content_of(path_), "whole");
        EXPECT_EQ(files_in_directory(), 1U);
        fs::remove(path_);
    }
}

TEST_F(AtomicFileTest, OnlyTemporariesThatNobodyHoldsAreRemoved) {
    write_and_be_killed(directory_ + "/one", AtomicFile::Temporary::named);
    write_and_be_killed(directory_ + "/two", AtomicFile::Temporary::named);
    std::ofstream(directory_ + "/notes.tmp-a") << "no temporary file";
    fs::create_directory(directory_ + "/folder.tmp-0");
    AtomicFile held(directory_ + "/three", AtomicFile::Temporary::named);
    EXPECT_EQ(files_in_directory(), 5U);
    remove_stale_temporaries(directory_);
    EXPECT_EQ(files_in_directory(), 3U);
    held.commit();
    EXPECT_TRUE(fs::exists(directory_ + "/three"));
    EXPECT_TRUE(fs::exists(directory_ + "/notes.tmp-a"));
    remove_stale_temporaries(directory_ + "/none");  // no fault
}

TEST_F(AtomicFileTest, ASymbolicLinkIsReplacedWhereThatIsAsked) {
    std::ofstream(path_) << "old";
    const std::string link = directory_ + "/link";
    fs::create_symlink("file", link);
    write_file_atomically(link, "new", AtomicFile::Link::replaced);
    EXPECT_FALSE(fs::is_symlink(link));
    EXPECT_EQ(content_of(link), "new");
    EXPECT_EQ(content_of(path_), "old");
    EXPECT_EQ(files_in_directory(), 2U);
}

TEST_F(AtomicFileTest, ASymbolicLinkStaysAndItsFileIsReplaced) {
    std::ofstream(path_) << "old";
    const std::string link = directory_ + "/link";
    fs::create_symlink("file", link);
    write_file_atomically(link, "new");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(content_of(path_), "new");
    EXPECT_EQ(files_in_directory(), 2U);
}

TEST_F(AtomicFileTest, KeepsTheUsualPermissions) {
    write_file_atomically(path_, "x");
    const mode_t mask = ::umask(0);
    ::umask(mask);
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

TEST_F(AtomicFileTest, AFileThatIsReplacedKeepsItsPermissions) {
    for (const mode_t mode : {0600, 0640, 0444, 0664}) {
        write_file_atomically(path_, "old");
        ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
        write_file_atomically(path_, "new");
        struct stat status {};
        ASSERT_EQ(::stat(path_.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, mode);
        EXPECT_EQ(content_of(path_), "new");
    }
}

TEST_F(AtomicFileTest, AFileThatIsReplacedKeepsItsOwner) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root may give files away";
    }
    write_file_atomically(path_, "old");
    ASSERT_EQ(::chown(path_.c_str(), 12, 34), 0);
    write_file_atomically(path_, "new");
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 12U);
    EXPECT_EQ(status.st_gid, 34U);
}

TEST_F(AtomicFileTest, MissingDirectoryIsNamed) {
    const std::string path = directory_ + "/no/such/file";
    EXPECT_EQ(fault(path, "x"), path + ": cannot create the file: No such file or directory; create the directory " +
                                    directory_ + "/no/such first, or name another path");
}

TEST_F(AtomicFileTest, RefusesWhatIsNoRegularFile) {
    EXPECT_EQ(fault(directory_, "x"),
              directory_ + ": cannot write: it exists and is not a regular file; name another path");
    EXPECT_EQ(fault("/dev/null", "x"),
              "/dev/null: cannot write: it exists and is not a regular file; name another path");
}

TEST_F(AtomicFileTest, ForbiddenDirectorySaysSo) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may write anywhere";
    }
    ::chmod(directory_.c_str(), 0500);
    const std::string message = fault(path_, "x");
    ::chmod(directory_.c_str(), 0700);
    EXPECT_EQ(message, path_ +
                           ": cannot create the file: Permission denied; choose a directory that you may write to, or "
                           "change its permissions");
}

// The limit on a file's size stands for a full disk: the write fails half-way in the same manner.
TEST_F(AtomicFileTest, DiskFullLeavesTheOldFileAndNoRest) {
    write_file_atomically(path_, "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = fault(path_, std::string(10000, 'x'));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(
        message,
        path_ +
            ": cannot write: File too large; raise the limit of the shell (ulimit -f) or use another file system; "
            "the previous file is untouched");
    EXPECT_EQ(content_of(path_), "old");
    EXPECT_EQ(files_in_directory(), 1U);
}

}  // namespace
}  // namespace softalign
