#include "base/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

namespace softalign {

namespace {

// The mappings that there are: begin -> bytes.
class Mappings {
public:
    static Mappings& all() {
        static Mappings* const mappings = new Mappings;  // never destroyed: tensors may outlive static objects
        return *mappings;
    }

    void add(std::uintptr_t begin, std::size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sizes_[begin] = bytes;
    }

    void remove(std::uintptr_t begin) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sizes_.erase(begin);
    }

    void let_go(std::uintptr_t begin, std::uintptr_t end) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto next = sizes_.upper_bound(begin);
        if (next == sizes_.begin()) {
            return;
        }
        const auto& [first, bytes] = *std::prev(next);
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        begin = (begin + page - 1) / page * page;
        end = end / page * page;
        if (end <= first + bytes && begin < end) {
            ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
        }
    }

private:
    std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> sizes_;
};

}  // namespace

std::shared_ptr<char> map_file(int descriptor, std::size_t bytes) {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (begin == MAP_FAILED) {
        return nullptr;
    }
    Mappings::all().add(reinterpret_cast<std::uintptr_t>(begin), bytes);
    return {static_cast<char*>(begin), [bytes](char* address) {
                Mappings::all().remove(reinterpret_cast<std::uintptr_t>(address));
                ::munmap(address, bytes);
            }};
}

std::shared_ptr<const char> map_file_to_read(int descriptor, std::size_t bytes) {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (begin == MAP_FAILED) {
        return nullptr;
    }
    ::madvise(begin, bytes, MADV_RANDOM);
    return {static_cast<const char*>(begin),
            [bytes](const char* address) { ::munmap(const_cast<char*>(address), bytes); }};
}

void let_go_of_mapped(const void* begin, std::size_t bytes) {
    const auto from = reinterpret_cast<std::uintptr_t>(begin);
    Mappings::all().let_go(from, from + bytes);
}

}  // namespace softalign
