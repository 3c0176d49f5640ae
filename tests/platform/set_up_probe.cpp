// Prints, a line each: the threads of an operator, the kernels, whether denormals are flushed, whether the stack is
// there, the variables, the arguments.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include "platform/blas.h"
#include "platform/process.h"

// Bytes of the first thread's stack that the system has mapped.
std::uint64_t mapped_stack() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("[stack]") != std::string::npos) {
            std::uint64_t begin = 0;
            std::uint64_t end = 0;
            char minus = 0;
            std::istringstream(line) >> std::hex >> begin >> minus >> end;
            return end - begin;
        }
    }
    return 0;
}

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
              << "stack " << (mapped_stack() >= (1 << 20) ? "reserved" : "grows") << "\n"
              << "core type " << variable("OPENBLAS_CORETYPE") << "\n"
              << "guard " << variable("SOFTALIGN_REEXEC") << "\n";
    for (int i = 1; i < argc; ++i) {
        std::cout << "argument [" << argv[i] << "]\n";
    }
}
