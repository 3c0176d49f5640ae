#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace softalign::faults {

// The functions of the C library that replaced_calls.cpp counts.
enum class Call { open, write, fsync, ftruncate, linkat, rename, remove, mkdir, mmap, allocate };

// The calls counted so far. They lie in memory that is shared with the processes forked later, so that they can be read
// when those were killed.
class CallLog {
public:
    static constexpr std::int64_t most = 8192;  // so many are kept, all are counted

    CallLog();
    ~CallLog();
    CallLog(const CallLog&) = delete;
    CallLog& operator=(const CallLog&) = delete;

    std::int64_t count() const { return shared_->count; }

    // By number, from 1. REQUIRES: number <= count(), most.
    Call call(std::int64_t number) const;
    std::string path(std::int64_t number) const;  // below the directory
    std::string text(std::int64_t number) const;  // "17: rename model.safetensors"

    void clear() { shared_->count = 0; }
    std::int64_t add(Call call, const char* path);  // its number

private:
    struct Entry {
        Call call;
        std::array<char, 60> path;
    };
    struct Shared {
        std::atomic<std::int64_t> count;
        std::array<Entry, most> entries;
    };
    Shared* shared_;
};

}  // namespace softalign::faults
