#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// A file that appears whole or not at all: the bytes go to a temporary file beside `path`, and commit() fsyncs it,
// renames it over `path` and fsyncs the directory. Destroyed without commit, it leaves nothing behind and an earlier
// file of that name untouched. Where `path` is a symbolic link, the file that it names is replaced and the link stays,
// or, with Link::replaced, the link is replaced and the file that it names stays as it is.
// A file that is replaced keeps its mode, and its owner and group where the system allows.
// Every member throws Error(output) with the path, the system's reason and what to do.
//
// The temporary file has no name until commit() where the file system can do that (O_TMPFILE), so that a process that
// is killed leaves nothing. Elsewhere it is PATH.tmp-N, N the first number that no writer holds. A writer locks its
// file: one that is not locked was left by a killed process, and the next writer of `path` removes it. A program that
// calls remove_temporaries_on_signals() leaves none when SIGINT, SIGTERM or SIGHUP ends it.
class AtomicFile {
public:
    enum class Temporary { unnamed_if_possible, named };
    enum class Link { followed, replaced };

    // Fails if the directory does not exist or is not writable, or if `path` exists and is not a regular file (a
    // directory, a device).
    explicit AtomicFile(const std::string& path, Temporary temporary = Temporary::unnamed_if_possible,
                        Link link = Link::followed);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(const void* data, std::size_t size);
    // REQUIRES: called once, nothing written afterwards.
    void commit();

private:
    [[noreturn]] void fail(const std::string& what, int error_number);
    bool open_unnamed();
    void open_named();
    void give_name();
    // Each a step of TemporaryNames. False with errno.
    bool create(const std::string& name);
    bool link(const std::string& unnamed, const std::string& name);
    bool rename();
    void discard();

    std::string path_;
    std::string temporary_;  // empty while the file has no name
    int descriptor_ = -1;
};

// Writes a small file in one go.
void write_file_atomically(const std::string& path, std::string_view content,
                           AtomicFile::Link link = AtomicFile::Link::followed);

// Waits until the names in the directory of `path` are on the disk: a file that was made or renamed there is found
// after a power cut. Some file systems cannot do that, which is no error.
void sync_directory_of(const std::string& path);

// Removes the temporary files that killed processes left in a directory, whatever they were to become.
void remove_stale_temporaries(const std::string& directory);

// A directory that appears with all its files or not at all: they are written to PATH.tmp-N, N the first number that no
// writer holds, and commit() renames that. Destroyed without commit, it leaves nothing behind; signals remove it too
// (base/temporary.h), and the next writer of PATH removes what a killed process left.
// Every member throws Error(output) with the path, the system's reason and what to do.
class AtomicDirectory {
public:
    // Makes the directories around it. Fails if `path` exists, unless it is an empty directory or a link to one, and
    // not the current directory.
    explicit AtomicDirectory(const std::string& path);
    ~AtomicDirectory();
    AtomicDirectory(const AtomicDirectory&) = delete;
    AtomicDirectory& operator=(const AtomicDirectory&) = delete;

    // Where to write the files.
    const std::string& temporary() const { return temporary_; }

    // REQUIRES: called once.
    void commit();

private:
    bool create(const std::string& name);
    [[noreturn]] void fail(const std::string& what, int error_number) const;

    std::string path_;
    std::string temporary_;  // empty after commit
    int descriptor_ = -1;    // of the temporary directory: locked
};

}  // namespace softalign
