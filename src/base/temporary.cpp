#include "base/temporary.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"

namespace softalign {

namespace {

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

// The list has an owner at any time but between steps: the thread of the step, or the signal, which keeps it. Nobody
// who owns it waits for anything else.
std::atomic_flag owned = ATOMIC_FLAG_INIT;

// Never destroyed: a signal may come until the very end.
std::vector<std::string>& listed() {
    static auto* const names = new std::vector<std::string>;
    return *names;
}

void own() {
    while (owned.test_and_set(std::memory_order_acquire)) {
        ::poll(nullptr, 0, 1);  // what a signal handler may call
    }
}

sigset_t ending_set() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : ending_signals) {
        sigaddset(&set, number);
    }
    return set;
}

// An entry of a directory, as the kernel gives it.
struct Entry {
    ino64_t inode;
    off64_t next;
    unsigned short length;
    unsigned char type;
    char name[1];
};

// A file, or a directory with what is in it to this depth. The handler calls it: nothing here takes memory or locks, as
// the C library's functions for directories do.
void remove_all(int directory, const char* name, int depth) {
    if (::unlinkat(directory, name, 0) == 0 || depth == 0) {
        return;
    }
    const int inner = ::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) {
        return;
    }
    alignas(Entry) char entries[4096];
    for (long count = 0; (count = ::syscall(SYS_getdents64, inner, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < count;) {
            const auto* const entry = reinterpret_cast<const Entry*>(entries + at);
            if (std::strcmp(entry->name, ".") != 0 && std::strcmp(entry->name, "..") != 0) {
                remove_all(inner, entry->name, depth - 1);
            }
            at += entry->length;
        }
    }
    ::close(inner);
    ::unlinkat(directory, name, AT_REMOVEDIR);
}

void end_by(int number) {
    static std::atomic_flag ending = ATOMIC_FLAG_INIT;
    if (ending.test_and_set()) {
        return;  // another signal is at it
    }
    own();
    for (const std::string& name : listed()) {
        remove_all(AT_FDCWD, name.c_str(), 8);
    }
    std::signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(number);
}

}  // namespace

void remove_temporaries_on_signals() {
    listed();
    for (const int number : ending_signals) {
        struct sigaction before {};
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler == SIG_DFL) {
            std::signal(number, end_by);
        }
    }
}

TemporaryNames::TemporaryNames() {
    const sigset_t set = ending_set();
    ::pthread_sigmask(SIG_BLOCK, &set, &signals_before_);
    own();
}

TemporaryNames::~TemporaryNames() {
    owned.clear(std::memory_order_release);
    ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

void TemporaryNames::add(const std::string& path) {
    listed().push_back(path);
}

void TemporaryNames::remove(const std::string& path) {
    std::vector<std::string>& names = listed();
    names.erase(std::remove(names.begin(), names.end(), path), names.end());
}

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory(const std::string& purpose) {
    std::string pattern = (fs::temp_directory_path() / ("softalign-" + purpose + "-XXXXXX")).string();
    TemporaryNames temporaries;
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw Error(ExitCode::output, pattern + ": a temporary directory cannot be made; set TMPDIR");
    }
    path_ = pattern;
    temporaries.add(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    TemporaryNames().remove(path_);
}

}  // namespace softalign
