#include "base/temporary.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_folder.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

// A child that calls `begin` and waits, ended by the signal when it has come so far. Its wait status.
int end_by(int signal, const std::function<void()>& begin, void (*before)(int) = SIG_DFL) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        for (const int number : ending_signals) {
            std::signal(number, before);
        }
        remove_temporaries_on_signals();
        begin();
        ::_exit(::write(ends[1], "x", 1) == 1 && ::pause() != 0 ? 3 : 4);
    }
    ::close(ends[1]);
    char ready = 0;
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    ::close(ends[0]);
    ::kill(child, signal);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

TEST(TemporaryNames, AreRemovedByTheSignalsThatEndTheProcess) {
    for (const int signal : ending_signals) {
        SCOPED_TRACE(signal);
        const TemporaryFolder folder;
        folder.write("old", "old");
        const int status = end_by(signal, [&] {
            for (const std::string name : {"old", "new"}) {
                auto* const file = new AtomicFile(folder.path(name), AtomicFile::Temporary::named);
                file->write("begun", 5);
            }
            auto* const directory = new AtomicDirectory(folder.path("directory"));
            fs::create_directory(directory->temporary() + "/inner");
            write_file_atomically(directory->temporary() + "/inner/file", "text");
            write_file_atomically(directory->temporary() + "/file", "text");
            (new AtomicFile(directory->temporary() + "/begun", AtomicFile::Temporary::named))->write("begun", 5);
            if (folder.files() != 4) {
                ::_exit(5);  // nothing to remove: the test would show nothing
            }
        });
        ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_EQ(folder.files(), 1U);
        std::string old;
        std::getline(std::ifstream(folder.path("old")), old);
        EXPECT_EQ(old, "old");
    }
}

TEST(TemporaryNames, OfFilesThatAreWholeAreNotTouched) {
    const TemporaryFolder folder;
    end_by(SIGTERM, [&] {
        AtomicFile file(folder.path("file"), AtomicFile::Temporary::named);
        file.commit();
        AtomicDirectory directory(folder.path("directory"));
        write_file_atomically(directory.temporary() + "/file", "text");
        directory.commit();
        folder.write("file.tmp-0", "of another process");
        { const AtomicFile dropped(folder.path("dropped"), AtomicFile::Temporary::named); }
        folder.write("dropped.tmp-0", "of another process");
    });
    EXPECT_EQ(folder.files(), 4U);
    EXPECT_TRUE(fs::exists(folder.path("directory/file")));
}

TEST(TemporaryNames, LeaveIgnoredSignalsIgnored) {
    const TemporaryFolder folder;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGHUP, SIG_IGN);
        remove_temporaries_on_signals();
        AtomicFile file(folder.path("file"), AtomicFile::Temporary::named);
        std::raise(SIGHUP);
        file.commit();
        ::_exit(0);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(fs::exists(folder.path("file")));
}

// While threads make, finish and drop files without end, a signal finds no moment at which one would be left.
TEST(TemporaryNames, AreRemovedAtAnyMoment) {
    for (int round = 0; round < 20; ++round) {
        const TemporaryFolder folder;
        const int status = end_by(ending_signals[round % 3], [&] {
            for (int thread = 0; thread < 3; ++thread) {
                std::thread([&folder, thread] {
                    for (int i = 0;; ++i) {
                        AtomicFile file(folder.path("file" + std::to_string(thread)), AtomicFile::Temporary::named);
                        file.write("text", 4);
                        AtomicDirectory directory(folder.path("directory" + std::to_string(thread)) +
                                                  std::to_string(i));
                        if (i % 2 == 0) {
                            file.commit();
                        }
                    }
                }).detach();
            }
            while (folder.files() == 0) {
                ::usleep(100);
            }
        });
        ASSERT_TRUE(WIFSIGNALED(status));
        for (const fs::directory_entry& entry : fs::directory_iterator(folder.path(""))) {
            EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
        }
    }
}

TEST(AtomicDirectory, AppearsWholeOrNotAtAll) {
    const TemporaryFolder folder;
    const std::string path = folder.path("a/b/directory");
    { const AtomicDirectory dropped(path); }
    EXPECT_TRUE(fs::is_empty(folder.path("a/b")));
    AtomicDirectory directory(path + "/");
    write_file_atomically(directory.temporary() + "/file", "text");
    EXPECT_FALSE(fs::exists(path));
    const AtomicDirectory other(path);
    EXPECT_NE(other.temporary(), directory.temporary());
    directory.commit();
    EXPECT_TRUE(fs::exists(path + "/file"));
    struct stat made {};
    struct stat usual {};
    fs::create_directory(folder.path("usual"));
    ASSERT_EQ(::stat(path.c_str(), &made), 0);
    ASSERT_EQ(::stat(folder.path("usual").c_str(), &usual), 0);
    EXPECT_EQ(made.st_mode, usual.st_mode);
}

TEST(AtomicDirectory, ReplacesNothing) {
    const TemporaryFolder folder;
    const auto fault = [](const std::string& path) -> std::string {
        try {
            AtomicDirectory directory(path);
            directory.commit();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::output);
            return error.what();
        }
        return "";
    };
    const std::string exists = " exists already; name a new directory, or remove it first";
    EXPECT_EQ(fault(folder.write("file", "text")), folder.path("file") + exists);
    fs::create_directory(folder.path("full"));
    folder.write("full/file", "text");
    EXPECT_EQ(fault(folder.path("full")), folder.path("full") + exists);
    fs::create_symlink("nowhere", folder.path("link"));
    EXPECT_EQ(fault(folder.path("link")), folder.path("link") + exists);
    fs::create_directory(folder.path("empty"));
    EXPECT_EQ(fault(folder.path("empty")), "");
    const fs::path before = fs::current_path();
    fs::current_path(folder.path("empty"));
    const std::string current =
        ": the current directory cannot be replaced; name a new directory, or run this elsewhere";
    EXPECT_EQ(fault("."), "." + current);
    EXPECT_EQ(fault("./"), "." + current);
    EXPECT_EQ(fault(folder.path("empty/.")), folder.path("empty") + current);
    fs::current_path(before);
    EXPECT_EQ(
        fault("/proc/no/such"),
        "/proc/no/such: cannot create the directory: No such file or directory; choose a place that you may write "
        "to");
}

TEST(AtomicDirectory, FollowsALinkToAnEmptyDirectory) {
    const TemporaryFolder folder;
    fs::create_directory(folder.path("empty"));
    fs::create_directory_symlink("empty", folder.path("link"));
    for (const std::string name : {"link", "link/", "link/.", "new/."}) {
        AtomicDirectory directory(folder.path(name));
        write_file_atomically(directory.temporary() + "/file", "text");
        directory.commit();
        EXPECT_TRUE(fs::exists(folder.path(name) + "/file")) << name;
        fs::remove(folder.path(name) + "/file");
    }
    EXPECT_TRUE(fs::is_symlink(folder.path("link")));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path("")), {}), 3) << "files are left";
}

TEST(AtomicDirectory, RemovesWhatAKilledProcessLeft) {
    const TemporaryFolder folder;
    fs::create_directory(folder.path("directory.tmp-0"));
    folder.write("directory.tmp-0/file", "text");
    const AtomicDirectory directory(folder.path("directory"));
    EXPECT_EQ(directory.temporary(), folder.path("directory.tmp-0"));
    EXPECT_TRUE(fs::is_empty(directory.temporary()));
}

}  // namespace
}  // namespace softalign
