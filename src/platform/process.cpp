#include "platform/process.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/instructions.h"
#include "platform/blas.h"
#include "platform/blas_kernels.h"
#include "platform/computing.h"
#include "platform/memory.h"

namespace softalign {

namespace {

constexpr const char* guard_variable = "SOFTALIGN_REEXEC";

// Starts the program again with the variables that are read when libraries load. Comes back only if it could not.
void start_again(const std::string& core_type, char** argv) {
    ::setenv(guard_variable, "1", 1);
    ::setenv(core_type_variable, core_type.c_str(), 1);
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);  // spares the threads that would never be used
    ::setenv("OMP_NUM_THREADS", "1", 1);
    ::execv("/proc/self/exe", argv);
    ::unsetenv(core_type_variable);
}

constexpr std::size_t stack_to_reserve = 1 << 20;  // an operator of LibTorch takes up to 128 KiB

// The system grows the stack of the first thread when it is touched, and kills the process if it finds no memory then,
// while an allocation that fails can be handled. So this touches what the operators will need. The stacks of other
// threads are allocated when they start.
[[gnu::noinline]] void reserve_stack() {
    rlimit limit{};
    if (::syscall(SYS_gettid) != ::getpid() || ::getrlimit(RLIMIT_STACK, &limit) != 0 ||
        limit.rlim_cur < 4 * stack_to_reserve) {
        return;
    }
    auto* const stack = static_cast<volatile char*>(__builtin_alloca(stack_to_reserve));
    for (std::size_t at = stack_to_reserve; at > 0; at -= 4096) {  // downwards, as the stack grows
        stack[at - 1] = 0;
    }
}

void use_one_thread(const BlasLibrary& blas) {
    using SetThreads = void (*)(int);
    if (const auto set_threads = reinterpret_cast<SetThreads>(blas.symbol("openblas_set_num_threads"))) {
        set_threads(1);
    }
}

}  // namespace

void fill_standard_files() {
    constexpr int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};  // what they are not used for; messages just vanish
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
        if (::fcntl(file, F_GETFD) < 0 && errno == EBADF) {
            ::open("/dev/null", modes[file]);  // takes the lowest number that is free: this one
        }
    }
}

void set_up_process(char** argv) {
    const BlasLibrary blas;
    if (std::getenv(guard_variable) == nullptr) {
        const std::string core_type = choose_blas_kernels(blas);
        if (!core_type.empty()) {
            start_again(core_type, argv);
        }
    }
    keep_freed_memory();
    reserve_stack();
    use_one_thread(blas);
    at::set_num_threads(1);  // of threads as well that are no workers
    set_up_thread();
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_of_user() {
    std::vector<std::string> own;
    const char* const guard = std::getenv(guard_variable);
    if (guard != nullptr && std::string(guard) == "1") {
        own = {guard_variable, core_type_variable, "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};
    }
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (std::find(own.begin(), own.end(), text.substr(0, text.find('='))) == own.end()) {
            result.push_back(text);
        }
    }
    return result;
}

void end_process(int code) {
#if defined(SOFTALIGN_SANITIZED)
    std::exit(code);
#else
    std::fflush(nullptr);
    ::_exit(code);
#endif
}

void set_up_library() {
    instructions();  // a fault of the environment shows here
    reserve_stack();
    use_one_thread(BlasLibrary());
}

void set_up_thread() {
    set_operator_threads(1);
    at::globalContext().setFlushDenormal(true);
}

VisitedThread::VisitedThread() : operator_threads_(operator_threads()) {
    std::fegetenv(&floating_point_);
    set_up_thread();
}

VisitedThread::~VisitedThread() {
    std::fesetenv(&floating_point_);
    set_operator_threads(operator_threads_);
}

}  // namespace softalign
