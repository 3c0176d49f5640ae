#pragma once

#include <signal.h>

#include <string>

namespace softalign {

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary files and directories of this process before they end it
// as usual. Signals that are ignored or handled already stay as they are. For programs, not for libraries.
void remove_temporaries_on_signals();

// A step that changes which temporary names there are, on the disk and in the list that signals go by: while it lives,
// none of these signals comes between the two, in any thread. Keep it short, and never begin another inside.
class TemporaryNames {
public:
    TemporaryNames();
    ~TemporaryNames();
    TemporaryNames(const TemporaryNames&) = delete;
    TemporaryNames& operator=(const TemporaryNames&) = delete;

    // Notes a file, or a directory with all that is in it, which was made in this step.
    void add(const std::string& path);
    // Forgets one that has been renamed or removed.
    void remove(const std::string& path);

private:
    sigset_t signals_before_;
};

// A new directory in the system's temporary directory (TMPDIR), removed with its contents by the destructor
// (and by signals: base/temporary.h).
class TemporaryDirectory {
public:
    // `purpose` becomes part of its name. Throws Error(output).
    explicit TemporaryDirectory(const std::string& purpose);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::string& path() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace softalign
