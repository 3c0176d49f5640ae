#pragma once

#include <string>

#include "platform/blas.h"

namespace softalign {

// The variable from which OpenBLAS takes, when it is loaded, the name of the kernels to use.
constexpr const char* core_type_variable = "OPENBLAS_CORETYPE";

// If the processor and the system support AVX-512 but OpenBLAS chose lesser kernels (it does not know newer
// processors), makes it choose again. Where it has no functions for that, returns the value of OPENBLAS_CORETYPE that
// would help at the next start of the program; empty otherwise. An OPENBLAS_CORETYPE set by the user is respected.
// REQUIRES: nothing is being calculated.
std::string choose_blas_kernels(const BlasLibrary& blas);

}  // namespace softalign
