#pragma once

#include <cstdint>
#include <string>

namespace softalign {

// Physical cores this process may run on, at least 1: those of its affinity mask, the threads of one core counted once,
// no more than its control group's CPU quota (rounded up).
int physical_cores();

// Processors as the system counts them, in the affinity mask.
int logical_cores();

// Bytes of memory this process may use: the machine's, or its control group's limit where that is lower.
// 0 = unknown.
std::uint64_t available_memory();

// The most bytes of physical memory that a process of this user has had in use so far (VmHWM), by its id; 0 = this
// process. 0 where the system does not say, and for a process that has ended.
std::uint64_t peak_memory(int process = 0);

// "AMD EPYC 9755 128-Core Processor"; empty where the system does not say.
std::string processor_name();

// CPUs that a control group's quota allows, from the text of cpu.max ("150000 100000" = 1.5, "max 100000" = no limit).
// 0 = no limit, or not to be understood.
double parse_cpu_quota(const std::string& cpu_max);

}  // namespace softalign
