#include "platform/kernels.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace softalign {

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
