#pragma once

#include <string>

namespace softalign {

struct BlasInfo {
    std::string name;     // "OpenBLAS 0.3.21", "MKL 2020.4", "BLIS 0.9.0", "reference BLAS", "unknown"
    std::string kernels;  // the kernels it chose for this processor, where it says ("SkylakeX"); may be empty
    std::string library;  // path of the shared library, or "inside LibTorch"
    bool reference = false;
};

// The BLAS behind LibTorch's float32 products: the library that sgemm_ comes from, or the one LibTorch was linked with.
BlasInfo blas_info();

// What to tell a person whose products run far below what the machine can do, with the command that mends it: the
// reference BLAS, or AVX2 kernels forced by OPENBLAS_CORETYPE. Empty where all is well.
std::string blas_advice(const BlasInfo& info);

// GFLOP/s of the calling thread in a float32 product of size^3, by its own processor time, the best of a few runs.
double measure_sgemm(int size);

}  // namespace softalign
