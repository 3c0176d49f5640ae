// Prints, a line each: the threads of an operator, the kernels, whether denormals are flushed, whether the stack is
// there, whether freed memory is kept, the variables, the arguments.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

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

// Page faults of allocating and writing four arrays of 8 MiB again that were freed before. Without being told to, glibc
// keeps no more than two of them.
long faults_again() {
    constexpr std::size_t size = std::size_t{8} << 20;
    rusage before{};
    rusage after{};
    for (int i = 0; i < 3; ++i) {
        ::getrusage(RUSAGE_SELF, &before);
        const std::vector<std::vector<char>> written(4, std::vector<char>(size, 'x'));
        ::getrusage(RUSAGE_SELF, &after);
    }
    return after.ru_minflt - before.ru_minflt;
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
              << "freed memory " << (faults_again() < 1000 ? "kept" : "returned") << "\n"
              << "core type " << variable("OPENBLAS_CORETYPE") << "\n"
              << "guard " << variable("SOFTALIGN_REEXEC") << "\n";
    for (int i = 1; i < argc; ++i) {
        std::cout << "argument [" << argv[i] << "]\n";
    }
}
