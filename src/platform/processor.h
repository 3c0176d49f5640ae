#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softalign {

// Physical cores that this process may use, at least 1: the cores in its affinity mask, hardware threads of one core
// counted once, but no more than the CPU quota of its control group (rounded up).
int physical_cores();

// The first line of a file of the system; empty where it cannot be read.
std::string first_line_of_file(const std::string& path);

// The numbers of the logical processors in the affinity mask of the calling thread, ascending; empty if unknown.
std::vector<int> allowed_processors();

// Logical processors in the affinity mask.
int logical_cores();

// Bytes of memory that this process may use: the machine's memory, or the limit of its control group if that is lower.
// 0 = unknown.
std::uint64_t available_memory();

// Peak resident memory in bytes (VmHWM) of the process of this user with this id; id 0 = this process. Returns 0 if
// unknown, and for a process that has ended.
std::uint64_t peak_memory(int process = 0);

inline double mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / (1024.0 * 1024.0);
}

// "AMD EPYC 9755 128-Core Processor"; empty if unknown.
std::string processor_name();

// CPUs that a control group's quota allows, from the text of cpu.max ("150000 100000" = 1.5, "max 100000" = no limit).
// 0 = no limit, or the text is not understood.
double parse_cpu_quota(const std::string& cpu_max);

// Whether the processor has AVX-512 F, BW, VL and DQ, and the operating system supports them.
bool processor_has_avx512();

// Whether OpenBLAS's kernels of this name (openblas_get_corename) are known not to use AVX-512.
bool lacks_avx512(const std::string& kernels);

// The value of OPENBLAS_CORETYPE that would make OpenBLAS faster, or empty if none would. `kernels` are those it chose;
// `config` describes its build (openblas_get_config).
std::string better_core_type(const std::string& kernels, const std::string& config, bool has_avx512);

}  // namespace softalign
