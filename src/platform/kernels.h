#pragma once

#include <string>

namespace softalign {

// Whether the processor has AVX-512 F, BW, VL and DQ, and the operating system supports them.
bool processor_has_avx512();

// Whether OpenBLAS's kernels of this name (openblas_get_corename) are known not to use AVX-512.
bool lacks_avx512(const std::string& kernels);

// The value of OPENBLAS_CORETYPE that would make OpenBLAS faster, or empty if none would. `kernels` are those it chose;
// `config` describes its build (openblas_get_config).
std::string better_core_type(const std::string& kernels, const std::string& config, bool has_avx512);

}  // namespace softalign
