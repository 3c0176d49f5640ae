// One thread and the kernels that the program itself would use.
#include <benchmark/benchmark.h>

#include <iostream>

#include "limits.h"
#include "platform/process.h"

int main(int argc, char** argv) {
    softalign::set_up_process(argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    std::cerr << "limits of one thread: " << softalign::limits().gflops << " GFLOP/s, "
              << softalign::limits().gigabytes_per_second << " GB/s\n";
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
