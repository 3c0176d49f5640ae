#include "platform/processor.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/strings.h"

namespace softalign {

std::string first_line_of_file(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

namespace {

// The processor's threads that share its core ("0,64" or "0-1"): the same text for all of them.
std::string siblings(int cpu) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::string list = first_line_of_file(topology + "core_cpus_list");
    if (list.empty()) {
        list = first_line_of_file(topology + "thread_siblings_list");  // kernels before 5.3
    }
    return list.empty() ? std::to_string(cpu) : list;
}

// The directories of this process's control group and those above it, of version 2 ("controller" empty) or of a
// controller of version 1. In a container the group's own path may not be visible; the root then stands for it.
std::vector<std::string> group_directories(const std::string& controller) {
    std::ifstream groups("/proc/self/cgroup");
    std::string line;
    std::string path;
    while (std::getline(groups, line)) {  // "4:memory:/a/b", "0::/a/b"
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first == std::string::npos ? first : first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
        if (names == "," + controller + "," ||
            (!controller.empty() && names.find("," + controller + ",") != std::string::npos)) {
            path = line.substr(second + 1);
        }
    }
    const std::string root = controller.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
    std::vector<std::string> directories;
    while (path.size() > 1) {
        directories.push_back(root + path);
        path.resize(path.rfind('/'));
    }
    directories.push_back(root);
    return directories;
}

double cpu_quota() {
    double lowest = 0.0;
    const auto note = [&lowest](double quota) {
        if (quota > 0.0 && (lowest == 0.0 || quota < lowest)) {
            lowest = quota;
        }
    };
    for (const std::string& directory : group_directories("")) {
        note(parse_cpu_quota(first_line_of_file(directory + "/cpu.max")));
    }
    for (const std::string& directory : group_directories("cpu")) {
        note(parse_cpu_quota(first_line_of_file(directory + "/cpu.cfs_quota_us") + " " +
                             first_line_of_file(directory + "/cpu.cfs_period_us")));
    }
    return lowest;
}

std::uint64_t memory_limit() {
    std::uint64_t lowest = 0;
    const auto note = [&lowest](const std::string& text) {
        std::uint64_t bytes = 0;
        if (std::istringstream(text) >> bytes && bytes > 0 && (lowest == 0 || bytes < lowest)) {
            lowest = bytes;
        }
    };
    for (const std::string& directory : group_directories("")) {
        note(first_line_of_file(directory + "/memory.max"));
    }
    for (const std::string& directory : group_directories("memory")) {
        note(first_line_of_file(directory + "/memory.limit_in_bytes"));
    }
    return lowest;
}

}  // namespace

double parse_cpu_quota(const std::string& cpu_max) {
    double quota = 0.0;
    double period = 0.0;
    std::istringstream text(cpu_max);
    return text >> quota >> period && quota > 0.0 && period > 0.0 ? quota / period : 0.0;
}

std::vector<int> allowed_processors() {
    std::vector<int> processors;
    // A machine may have more processors than a cpu_set_t has bits.
    for (int size = CPU_SETSIZE; size <= (1 << 16); size *= 2) {
        cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(size));
        if (set == nullptr) {
            break;
        }
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
        const bool known = ::sched_getaffinity(0, bytes, set) == 0;
        for (int cpu = 0; known && cpu < size; ++cpu) {
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) {
                processors.push_back(cpu);
            }
        }
        CPU_FREE(set);
        if (known) {
            break;
        }
    }
    return processors;
}

int logical_cores() {
    const std::size_t allowed = allowed_processors().size();
    return static_cast<int>(std::max<std::size_t>(allowed > 0 ? allowed : std::thread::hardware_concurrency(), 1));
}

int physical_cores() {
    std::set<std::string> cores;
    for (const int cpu : allowed_processors()) {
        cores.insert(siblings(cpu));
    }
    const int count = cores.empty() ? logical_cores() : static_cast<int>(cores.size());
    const double quota = cpu_quota();
    return quota > 0.0 ? std::min(count, std::max(1, static_cast<int>(std::ceil(quota)))) : count;
}

std::uint64_t available_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    const std::uint64_t machine =
        pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : 0;
    const std::uint64_t limit = memory_limit();
    return limit > 0 && (machine == 0 || limit < machine) ? limit : machine;
}

std::uint64_t peak_memory(int process) {
    std::ifstream file("/proc/" + (process == 0 ? std::string("self") : std::to_string(process)) + "/status");
    std::string line;
    while (std::getline(file, line)) {
        std::uint64_t kibibytes = 0;
        if (starts_with(line, "VmHWM:") && std::istringstream(line.substr(6)) >> kibibytes) {
            return kibibytes * 1024;
        }
    }
    return 0;
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (starts_with(line, "model name")) {
            const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
            return start == std::string::npos ? "" : line.substr(start);
        }
    }
    return "";
}

bool processor_has_avx512() {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

bool lacks_avx512(const std::string& kernels) {
    // A list of what is known, so that a name from the future is left alone.
    constexpr std::array<std::string_view, 13> names = {
        "Prescott",  "Core2",     "Penryn",     "Dunnington",  "Nehalem",   "Sandybridge", "Haswell",
        "Barcelona", "Bulldozer", "Piledriver", "Steamroller", "Excavator", "Zen"};
    return std::find(names.begin(), names.end(), kernels) != names.end();
}

std::string better_core_type(const std::string& kernels, const std::string& config, bool has_avx512) {
    // Only a library built for several processors can choose. All versions since 2018 know SkylakeX; the kernels
    // for newer processors were no faster in float32.
    const bool can_choose = config.find("DYNAMIC_ARCH") != std::string::npos;
    return has_avx512 && can_choose && lacks_avx512(kernels) ? "SkylakeX" : "";
}

}  // namespace softalign
