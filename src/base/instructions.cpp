#include "base/instructions.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/error.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace softalign {

namespace {

constexpr const char* variable = "SOFTALIGN_INSTRUCTIONS";

// From the most to the least.
#if defined(__aarch64__)
constexpr Instructions known[] = {Instructions::dotprod, Instructions::none};
#else
constexpr Instructions known[] = {Instructions::amx, Instructions::avx512, Instructions::avx_vnni, Instructions::avx2,
                                  Instructions::none};
#endif

#if defined(__x86_64__) && defined(__GNUC__)
// Whether the processor has AMX with bfloat16 and int8, and the system lets a process ask for it.
bool has_amx() {
#if defined(__linux__)
    constexpr unsigned needed = (1U << 22U) | (1U << 24U) | (1U << 25U);
    constexpr long supported_features = 0x1021;  // ARCH_GET_XCOMP_SUPP
    constexpr std::uint64_t tile_data = 1U << 18U;
    unsigned features = 0;
    unsigned other = 0;
    std::uint64_t supported = 0;
    return __get_cpuid_count(7, 0, &other, &other, &other, &features) != 0 && (features & needed) == needed &&
           ::syscall(SYS_arch_prctl, supported_features, &supported) == 0 && (supported & tile_data) != 0;
#else
    return false;
#endif
}
#endif

Instructions of_processor() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (__builtin_cpu_supports("avx512f")) {
            return has_amx() ? Instructions::amx : Instructions::avx512;
        }
        return has_avx_vnni() ? Instructions::avx_vnni : Instructions::avx2;
    }
#elif defined(__aarch64__) && defined(__linux__)
    constexpr unsigned long dot_products = 1UL << 20U;  // HWCAP_ASIMDDP
    if ((::getauxval(AT_HWCAP) & dot_products) != 0) {
        return Instructions::dotprod;
    }
#endif
    return Instructions::none;
}

Instructions allowed() {
    const char* const text = std::getenv(variable);
    if (text == nullptr) {
        return *std::begin(known);
    }
    std::string choices;
    for (const Instructions one : known) {
        if (std::string(text) == name_of(one)) {
            return one;
        }
        choices += (choices.empty() ? "" : one == Instructions::none ? " or " : ", ") + std::string(name_of(one));
    }
    throw Error(ExitCode::usage, std::string("the environment variable ") + variable + " is \"" + text +
                                     "\"; set it to " + choices + ", or unset it");
}

}  // namespace

// By the processor's own word, for which not every compiler has a name.
bool has_avx_vnni() {
#if defined(__x86_64__) && defined(__GNUC__)
    constexpr unsigned avx_vnni = 1U << 4U;
    unsigned features = 0;
    unsigned other = 0;
    return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &features, &other, &other, &other) != 0 &&
           (features & avx_vnni) != 0;
#else
    return false;
#endif
}

Instructions instructions() {
    static const Instructions used = std::min(of_processor(), allowed());
    return used;
}

bool may_use_avx512_bf16() {
#if defined(__x86_64__) && defined(__GNUC__)
    return instructions() >= Instructions::avx512 && __builtin_cpu_supports("avx512bf16") != 0;
#else
    return false;
#endif
}

bool may_use_amx() {
#if defined(__x86_64__) && defined(__linux__)
    constexpr long ask_for_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
    static const bool permitted =
        instructions() == Instructions::amx && ::syscall(SYS_arch_prctl, ask_for_permission, tile_data) == 0;
    return permitted;
#else
    return false;
#endif
}

Instructions instructions_of_float32() {
    switch (instructions()) {
        case Instructions::avx_vnni:
            return Instructions::avx2;
        case Instructions::amx:
            return Instructions::avx512;
        default:
            return instructions();
    }
}

Instructions instructions_of_bfloat16() {
    return may_use_amx() ? Instructions::amx : instructions_of_float32();
}

const char* name_of(Instructions instructions) {
    switch (instructions) {
        case Instructions::none:
            return "none";
        case Instructions::dotprod:
            return "dotprod";
        case Instructions::avx2:
            return "avx2";
        case Instructions::avx_vnni:
            return "avx_vnni";
        case Instructions::avx512:
            return "avx512";
        case Instructions::amx:
            break;
    }
    return "amx";
}

}  // namespace softalign
