// The functions below take the place of the C library's, in this program and in the shared libraries that it uses: the
// definitions of a program go before those of libraries.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "faults/injection.h"

#define VISIBLE __attribute__((visibility("default")))
#define REPLACED extern "C" VISIBLE

using softalign::faults::Call;
using softalign::faults::Fault;
using softalign::faults::Injection;

namespace {

template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct Counted {
    Call call;
    const std::string path;
    bool needs_room;
};

// A counted call, which is `really` made unless it is to fail, with this result.
template <typename Result, typename Real>
Result counted(const Counted& counted, Result failure, const Real& really) {
    Injection& injection = Injection::instance();
    const Fault fault = injection.next(counted.call, counted.path, counted.needs_room);
    if (Injection::fails(fault, counted.call)) {
        return failure;
    }
    const Result result = really();
    injection.end_if(fault);
    return result;
}

bool has_no_name(int flags) {
    return (flags & O_TMPFILE) == O_TMPFILE;
}

using Open = int(const char*, int, ...);

int open_by(Open* really, const char* path, int flags, mode_t mode) {
    Injection& injection = Injection::instance();
    if (!injection.concerns(path)) {
        return really(path, flags, mode);
    }
    const bool unnamed = has_no_name(flags);
    const std::string shown = unnamed ? std::string(path) + "/unnamed" : path;
    return counted({Call::open, shown, unnamed || (flags & O_CREAT) != 0}, -1, [&] {
        const int descriptor = really(path, flags, mode);
        injection.opened(descriptor, shown);
        return descriptor;
    });
}

using Remove = int(const char*);

int remove_by(Remove* really, const char* path) {
    Injection& injection = Injection::instance();
    if (!injection.concerns(path)) {
        return really(path);
    }
    return counted({Call::remove, path, false}, -1, [&] {
        injection.removed(path);
        return really(path);
    });
}

mode_t mode_of(int flags, std::va_list& arguments) {
    return (flags & O_CREAT) != 0 || has_no_name(flags) ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

REPLACED int open(const char* path, int flags, ...) {
    static Open* const really = real<Open>("open");
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_by(really, path, flags, mode);
}

REPLACED int open64(const char* path, int flags, ...) {
    static Open* const really = real<Open>("open64");
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_by(really, path, flags, mode);
}

REPLACED int close(int descriptor) {
    static auto* const really = real<int(int)>("close");
    Injection::instance().closed(descriptor);
    return really(descriptor);
}

REPLACED ssize_t write(int descriptor, const void* data, size_t size) {
    static auto* const really = real<ssize_t(int, const void*, size_t)>("write");
    Injection& injection = Injection::instance();
    if (!injection.concerns(descriptor)) {
        return really(descriptor, data, size);
    }
    const Fault fault = injection.next(Call::write, injection.path_of(descriptor), true);
    if (Injection::fails(fault, Call::write)) {
        return -1;
    }
    const bool ends = fault == Fault::kill || fault == Fault::power_cut;
    const ssize_t written = really(descriptor, data, ends ? size / 2 : size);
    injection.end_if(fault);
    return written;
}

// Nothing goes to the disk: a killed process loses nothing that it wrote, and power cuts are played.
REPLACED int fsync(int descriptor) {
    static auto* const really = real<int(int)>("fsync");
    Injection& injection = Injection::instance();
    if (!injection.concerns(descriptor)) {
        return really(descriptor);
    }
    return counted({Call::fsync, injection.path_of(descriptor), true}, -1, [&] {
        injection.synced(descriptor);
        return 0;
    });
}

REPLACED int ftruncate(int descriptor, off_t size) noexcept {
    static auto* const really = real<int(int, off_t)>("ftruncate");
    Injection& injection = Injection::instance();
    if (!injection.concerns(descriptor)) {
        return really(descriptor, size);
    }
    return counted({Call::ftruncate, injection.path_of(descriptor), false}, -1, [&] {
        const int result = really(descriptor, size);
        injection.cut(descriptor);
        return result;
    });
}

REPLACED int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
    static auto* const really = real<int(int, const char*, int, const char*, int)>("linkat");
    Injection& injection = Injection::instance();
    if (!injection.concerns(to)) {
        return really(from_folder, from, to_folder, to, flags);
    }
    return counted({Call::linkat, to, true}, -1, [&] {
        const int result = really(from_folder, from, to_folder, to, flags);
        if (result == 0) {
            injection.linked(from, to);
        }
        return result;
    });
}

REPLACED int rename(const char* from, const char* to) noexcept {
    static auto* const really = real<int(const char*, const char*)>("rename");
    Injection& injection = Injection::instance();
    if (!injection.concerns(to)) {
        return really(from, to);
    }
    return counted({Call::rename, to, false}, -1, [&] {
        const int result = really(from, to);
        if (result == 0) {
            injection.renamed(from, to);
        }
        return result;
    });
}

REPLACED int unlink(const char* path) noexcept {
    static auto* const really = real<Remove>("unlink");
    return remove_by(really, path);
}

REPLACED int remove(const char* path) noexcept {
    static auto* const really = real<Remove>("remove");
    return remove_by(really, path);
}

REPLACED int mkdir(const char* path, mode_t mode) noexcept {
    static auto* const really = real<int(const char*, mode_t)>("mkdir");
    if (!Injection::instance().concerns(path)) {
        return really(path, mode);
    }
    return counted({Call::mkdir, path, true}, -1, [&] { return really(path, mode); });
}

REPLACED void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
    static auto* const really = real<void*(void*, size_t, int, int, int, off_t)>("mmap");
    Injection& injection = Injection::instance();
    const auto map = [&] { return really(address, size, protection, flags, descriptor, offset); };
    return injection.concerns(descriptor) ? counted({Call::mmap, injection.path_of(descriptor), false}, MAP_FAILED, map)
                                          : map();
}

#if !defined(SOFTALIGN_SANITIZED)  // a sanitizer's own allocator has to see every allocation

REPLACED int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
    static auto* const really = real<int(void**, size_t, size_t)>("posix_memalign");
    return Injection::instance().allocation_fails() ? ENOMEM : really(memory, alignment, size);
}

VISIBLE void* operator new(std::size_t size) {
    void* const memory =
        Injection::instance().allocation_fails() ? nullptr : std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

VISIBLE void operator delete(void* memory) noexcept {
    std::free(memory);
}

VISIBLE void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

#endif
