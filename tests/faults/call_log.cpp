#include "faults/call_log.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

namespace softalign::faults {

CallLog::CallLog() {
    void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    shared_ = static_cast<Shared*>(memory);
}

CallLog::~CallLog() {
    ::munmap(shared_, sizeof(Shared));
}

Call CallLog::call(std::int64_t number) const {
    return shared_->entries.at(static_cast<std::size_t>(number - 1)).call;
}

std::string CallLog::path(std::int64_t number) const {
    return shared_->entries.at(static_cast<std::size_t>(number - 1)).path.data();
}

std::string CallLog::text(std::int64_t number) const {
    static constexpr const char* names[] = {"open",   "write",  "fsync", "ftruncate", "linkat",
                                            "rename", "remove", "mkdir", "mmap",      "allocate"};
    return std::to_string(number) + ": " + names[static_cast<std::size_t>(call(number))] + " " + path(number);
}

std::int64_t CallLog::add(Call call, const char* path) {
    const std::int64_t number = ++shared_->count;
    if (number <= most) {
        Entry& entry = shared_->entries[static_cast<std::size_t>(number - 1)];
        entry.call = call;
        const char* const temporary = std::strstr(path, ".tmp-");  // what follows is another in every process
        const int size = static_cast<int>(temporary == nullptr ? std::strlen(path) : temporary + 4 - path);
        std::snprintf(entry.path.data(), entry.path.size(), "%.*s", size, path);
    }
    return number;
}

}  // namespace softalign::faults
