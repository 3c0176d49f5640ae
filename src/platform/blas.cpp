#include "platform/blas.h"

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <regex>
#include <sstream>
#include <string>

#include "platform/processor.h"

namespace softalign {

namespace {

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." -> "OpenBLAS 0.3.21"
std::string first_two_words(const std::string& text) {
    std::istringstream words(text);
    std::string name;
    std::string number;
    words >> name >> number;
    return number.empty() ? name : name + " " + number;
}

bool inside_libtorch(const std::string& path) {
    return path.empty() || path.find("libtorch") != std::string::npos;
}

// What an official LibTorch says of the BLAS in its own binary.
std::string name_inside_libtorch() {
    std::smatch match;
    if (at::hasMKL()) {
        const std::string text = at::get_mkl_version();
        return std::regex_search(text, match, std::regex("Version ([0-9.]+)")) ? "MKL " + match[1].str() : "MKL";
    }
    const std::string config = at::show_config();
    if (std::regex_search(config, match, std::regex("BLAS_INFO=(\\w+)"))) {
        return match[1] == "open" ? "OpenBLAS" : match[1].str();
    }
    return "unknown";
}

// Debian's and the reference distribution's names of the unoptimised library, when no optimised one answers for it.
bool is_reference_name(const std::string& path) {
    return std::regex_search(path, std::regex("/lib(ref)?blas\\.so[.0-9]*$"));
}

// The processor's time of this thread: what others do on the machine does not count.
double thread_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

BlasInfo blas_info() {
    const BlasLibrary library;
    BlasInfo info;
    info.library = inside_libtorch(library.path()) ? "inside LibTorch" : library.path();
    const std::string openblas = library.call_for_text("openblas_get_config");
    const std::string blis = library.call_for_text("bli_info_get_version_str");
    if (!openblas.empty()) {
        info.name = first_two_words(openblas);
        info.kernels = library.call_for_text("openblas_get_corename");
    } else if (!blis.empty()) {
        info.name = "BLIS " + blis;
    } else if (inside_libtorch(library.path())) {
        info.name = name_inside_libtorch();
    } else if (library.symbol("mkl_get_version_string") != nullptr || library.symbol("MKL_Get_Version") != nullptr) {
        info.name = at::hasMKL() ? name_inside_libtorch() : "MKL";
    } else if (library.symbol("ATL_buildinfo") != nullptr) {
        info.name = "ATLAS";
    } else if (is_reference_name(library.path())) {
        info.name = "reference BLAS";
        info.reference = true;
    } else {
        info.name = "unknown";
    }
    return info;
}

std::string blas_advice(const BlasInfo& info) {
    if (info.reference) {
        return "LibTorch uses the reference BLAS (" + info.library +
               "), which is 10 to 30 times slower than an optimised one: minutes of training become hours.\n"
               "  On Debian and Ubuntu:  sudo apt-get install libopenblas0-pthread\n"
               "  and, if this persists: sudo update-alternatives --config libblas.so.3-$(uname -m)-linux-gnu\n"
               "  You do not have to rebuild anything.";
    }
    const char* const forced = std::getenv("OPENBLAS_CORETYPE");
    if (forced != nullptr && processor_has_avx512() && lacks_avx512(info.kernels)) {
        return std::string("OPENBLAS_CORETYPE=") + forced +
               " in the environment restricts OpenBLAS to AVX2 kernels, but this processor has AVX-512: about half the "
               "speed.\n  Remove it:  unset OPENBLAS_CORETYPE";
    }
    return "";
}

double measure_sgemm(int size) {
    const at::NoGradGuard no_gradients;
    const at::Tensor a = at::ones({size, size});
    const at::Tensor b = at::ones({size, size});
    at::Tensor product = at::mm(a, b);  // the first run pays for memory and start-up
    double best = std::numeric_limits<double>::infinity();
    double spent = 0.0;
    constexpr double enough_seconds = 0.2;
    for (int run = 0; run < 20 && spent < enough_seconds; ++run) {
        const double start = thread_seconds();
        at::mm_out(product, a, b);
        const double seconds = std::max(thread_seconds() - start, 1e-9);
        best = std::min(best, seconds);
        spent += seconds;
    }
    return 2.0 * size * size * size / best * 1e-9;
}

BlasLibrary::BlasLibrary() {
    void* const sgemm = ::dlsym(RTLD_DEFAULT, "sgemm_");
    Dl_info where{};
    if (sgemm == nullptr || ::dladdr(sgemm, &where) == 0 || where.dli_fname == nullptr) {
        return;
    }
    char resolved[PATH_MAX];
    path_ = ::realpath(where.dli_fname, resolved) != nullptr ? resolved : where.dli_fname;
    handle_ = ::dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void* BlasLibrary::symbol(const char* name) const {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

std::string BlasLibrary::call_for_text(const char* name) const {
    using Function = const char* (*)();
    const auto function = reinterpret_cast<Function>(symbol(name));
    const char* const text = function == nullptr ? nullptr : function();
    return text == nullptr ? "" : text;
}

}  // namespace softalign
