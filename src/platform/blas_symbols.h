#pragma once

#include <string>

namespace softalign {

// The shared library that LibTorch's calls of the BLAS end in, through the dynamic linker alone: nothing is linked
// with, so any BLAS can stand behind the same program.
class BlasLibrary {
public:
    BlasLibrary();

    // Path of the library that defines sgemm_, links resolved; empty where no shared library exports it.
    const std::string& path() const { return path_; }

    // A symbol of that library or of one it needs; null where there is none.
    void* symbol(const char* name) const;

    // Calls `const char* name()`; empty where there is no such function.
    std::string call_for_text(const char* name) const;

private:
    std::string path_;
    void* handle_ = nullptr;  // never closed: the library is in use anyhow
};

}  // namespace softalign
