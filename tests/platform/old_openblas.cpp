// Stands in front of the BLAS: says what an OpenBLAS says that does not know the processor, until OPENBLAS_CORETYPE
// tells it. A product of matrices is not needed for that.
#include <cstdlib>

extern "C" {

void sgemm_() {
    std::abort();
}

const char* openblas_get_config() {
    return "OpenBLAS 0.3.20 DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64";
}

const char* openblas_get_corename() {
    const char* const chosen = std::getenv("OPENBLAS_CORETYPE");
    return chosen == nullptr ? "Zen" : chosen;
}

}  // extern "C"
