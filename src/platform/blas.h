#pragma once

#include <string>

namespace softalign {

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
