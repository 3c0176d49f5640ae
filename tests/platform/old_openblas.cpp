// Stands in front of the BLAS: says what an OpenBLAS says that does not know the processor, until OPENBLAS_CORETYPE
// tells it. A product of matrices is not needed for that.
#include <cstdlib>
#include <string>

extern "C" {

void sgemm_() {
    std::abort();
}

const char* openblas_get_config() {
    return "OpenBLAS 0.3.20 DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64";
}

#if defined(CHOOSES_AGAIN)

static std::string chosen;

void gotoblas_dynamic_quit() {
    chosen = "nothing";
}

// Chooses once, until it is told to forget, as OpenBLAS does.
void gotoblas_dynamic_init() {
    if (chosen == "nothing") {
        const char* const wanted = std::getenv("OPENBLAS_CORETYPE");
        chosen = wanted == nullptr ? "Zen" : wanted;
    }
}

const char* openblas_get_corename() {
    return chosen.empty() ? "Zen" : chosen.c_str();
}

#else

const char* openblas_get_corename() {
    const char* const chosen = std::getenv("OPENBLAS_CORETYPE");
    return chosen == nullptr ? "Zen" : chosen;
}

#endif

}  // extern "C"
