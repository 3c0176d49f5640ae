#pragma once

#include <string>

namespace softalign {

// A directory that appears with all its files or not at all: they are written to PATH.tmp-N, N the first number that no
// writer holds, and commit() renames that. Destroyed without commit, it leaves nothing behind; signals remove it too
// (base/temporary_names.h), and the next writer of PATH removes what a killed process left.
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
