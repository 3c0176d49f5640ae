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

// Reserves BLAS work buffers for this number of threads that multiply matrices at the same time, as long as it lives;
// the reservations of all live objects add up. OpenBLAS needs a work buffer (128 MiB of address space, mostly unused)
// for each concurrent call and keeps it for later calls. If the system refuses one, releases before 0.3.30 retry for
// ever: the program hangs instead of failing (OpenBLAS issue 5289). So the buffers are allocated in advance, up to 48:
// the smallest build of OpenBLAS has slots for as many. With another BLAS nothing is done.
class BlasBuffers {
public:
    // Throws std::bad_alloc if the address space does not suffice. REQUIRES: threads >= 0.
    explicit BlasBuffers(int threads);
    ~BlasBuffers();
    BlasBuffers(const BlasBuffers&) = delete;
    BlasBuffers& operator=(const BlasBuffers&) = delete;

private:
    int threads_;
};

struct BlasInfo {
    std::string name;     // "OpenBLAS 0.3.21", "MKL 2020.4", "BLIS 0.9.0", "reference BLAS", "unknown"
    std::string kernels;  // the kernels it chose for this processor ("SkylakeX"); empty if unknown
    std::string library;  // path of the shared library, or "inside LibTorch"
    bool reference = false;
};

// The BLAS behind LibTorch's float32 products: the library that sgemm_ comes from, or the one LibTorch was linked with.
BlasInfo blas_info();

// Advice, with a command, for a user whose matrix products run far below the machine's speed because of the reference
// BLAS, or of AVX2 kernels forced by OPENBLAS_CORETYPE. Empty if there is no such problem.
std::string blas_advice(const BlasInfo& info);

// GFLOP/s of the calling thread in a float32 product of size^3, measured in processor time; the best of a few runs.
double measure_sgemm(int size);

}  // namespace softalign
