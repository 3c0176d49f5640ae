// Prints, a line each: the threads of an operator, the kernels, whether denormals are flushed, the variables, the
// arguments.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstdlib>
#include <iostream>
#include <limits>

#include "platform/blas.h"
#include "platform/process.h"

int main(int argc, char** argv) {
    softalign::set_up_process(argv);
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return value == nullptr ? "unset" : value;
    };
    volatile float smallest = std::numeric_limits<float>::min();
    const volatile float denormal = smallest / 2;
    std::cout << "threads " << at::get_num_threads() << "\n"
              << "kernels " << softalign::blas_info().kernels << "\n"
              << "denormals " << (denormal == 0.0F ? "flushed" : "kept") << "\n"
              << "core type " << variable("OPENBLAS_CORETYPE") << "\n"
              << "guard " << variable("SOFTALIGN_REEXEC") << "\n";
    for (int i = 1; i < argc; ++i) {
        std::cout << "argument [" << argv[i] << "]\n";
    }
}
