#pragma once

#include <string>

namespace softalign {

// The shared library behind LibTorch's BLAS calls, accessed through the dynamic linker only: the program is not linked
// with a BLAS, so any of them can be used.
class BlasLibrary {
public:
    BlasLibrary();

    // The path of the library that defines sgemm_, with links resolved; empty if no shared library exports it.
    const std::string& path() const { return path_; }

    // A symbol of that library or of its dependencies; null if there is none.
    void* symbol(const char* name) const;

    // The result of `const char* name()`; empty if there is no such function.
    std::string call_for_text(const char* name) const;

private:
    std::string path_;
    void* handle_ = nullptr;  // never closed: the library is in use anyway
};

}  // namespace softalign
