#include "faults/injection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

namespace softalign::faults {

namespace {

off_t size_of(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

int usual_error(Call call) {
    switch (call) {
        case Call::open:
            return EMFILE;
        case Call::write:
        case Call::mkdir:
            return ENOSPC;
        case Call::mmap:
        case Call::allocate:
            return ENOMEM;
        default:
            return EIO;
    }
}

}  // namespace

// In place, because operator new asks it; and never destroyed, because it is asked until the process ends.
Injection& Injection::instance() {
    alignas(Injection) static std::array<std::byte, sizeof(Injection)> memory;
    static Injection* const injection = new (memory.data()) Injection;
    return *injection;
}

void Injection::start(const Plan& plan, CallLog& log) {
    plan_ = plan;
    log_ = &log;
    log.clear();
    active_ = true;
}

bool Injection::concerns(const char* path) const {
    const std::size_t size = plan_.directory.size();
    return active_ && !plan_.allocations &&
           plan_.directory.compare(0, size, path, std::min(size, std::strlen(path))) == 0 &&
           (path[size] == '/' || path[size] == '\0');
}

const std::string& Injection::path_of(int descriptor) const {
    return files_[descriptor >= 0 && descriptor < most_files ? static_cast<std::size_t>(descriptor) : most_files - 1];
}

void Injection::opened(int descriptor, const std::string& path) {
    if (descriptor >= 0 && descriptor < most_files - 1) {
        files_[static_cast<std::size_t>(descriptor)] = path;
        cut(descriptor);
    }
}

void Injection::closed(int descriptor) {
    if (concerns(descriptor)) {
        files_[static_cast<std::size_t>(descriptor)].clear();
    }
}

void Injection::synced(int descriptor) {
    safe_[path_of(descriptor)] = size_of(descriptor);
}

void Injection::cut(int descriptor) {
    const off_t size = size_of(descriptor);
    off_t& safe = safe_.emplace(path_of(descriptor), size).first->second;
    safe = std::min(safe, size);
}

// A file without a name gets one: linkat("/proc/self/fd/N", to).
void Injection::linked(const char* from, const char* to) {
    int descriptor = -1;
    if (std::sscanf(from, "/proc/self/fd/%d", &descriptor) == 1 && concerns(descriptor)) {
        renamed(path_of(descriptor).c_str(), to);
        files_[static_cast<std::size_t>(descriptor)] = to;
    }
}

void Injection::renamed(const char* from, const char* to) {
    const auto found = safe_.find(from);
    if (found != safe_.end()) {
        safe_[to] = found->second;
        safe_.erase(found);
    }
}

Fault Injection::next(Call call, const std::string& path, bool needs_room) {
    const std::int64_t number = log_->add(call, path.c_str() + std::min(path.size(), plan_.directory.size() + 1));
    if (number < plan_.first || number > plan_.last || (plan_.fault == Fault::full_disk && !needs_room)) {
        return Fault::none;
    }
    return plan_.fault;
}

bool Injection::fails(Fault fault, Call call) {
    if (fault != Fault::fail && fault != Fault::full_disk) {
        return false;
    }
    errno = fault == Fault::full_disk ? ENOSPC : usual_error(call);
    return true;
}

void Injection::end_if(Fault fault) const {
    if (fault == Fault::power_cut) {
        for (const auto& [path, size] : safe_) {
            struct stat status {};
            if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > size &&
                ::truncate(path.c_str(), size) != 0) {
                return;  // the test sees that the process was not killed
            }
        }
    }
    if (fault == Fault::kill || fault == Fault::power_cut) {
        ::kill(::getpid(), SIGKILL);
    }
}

bool Injection::allocation_fails() {
    if (!active_ || !plan_.allocations) {
        return false;
    }
    const std::int64_t number = log_->add(Call::allocate, "");
    return number >= plan_.first && number <= plan_.last;
}

}  // namespace softalign::faults
