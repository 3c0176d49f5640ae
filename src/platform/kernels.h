#pragma once

#include <string>

namespace softalign {

// Whether the processor has AVX-512 F, BW, VL and DQ, and the operating system lets programs use them.
bool processor_has_avx512();

// Whether OpenBLAS's kernels of this name (openblas_get_corename) are known to do without AVX-512.
bool lacks_avx512(const std::string& kernels);

// The value of OPENBLAS_CORETYPE that would help, or empty: for an OpenBLAS that chose `kernels` and was built as
// `config` says (openblas_get_config), on a processor with or without AVX-512.
std::string better_core_type(const std::string& kernels, const std::string& config, bool has_avx512);

}  // namespace softalign
