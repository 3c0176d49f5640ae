#pragma once

#include <cfenv>
#include <functional>
#include <string>
#include <vector>

#include "platform/blas.h"

namespace softalign {

// While this lives, `action` is called in the child of every fork, before fork returns there. It is for what does not
// survive a fork: threads, and locks that other threads held. `action` must neither throw nor make or destroy an
// AfterFork.
class AfterFork {
public:
    explicit AfterFork(std::function<void()> action);
    ~AfterFork();
    AfterFork(const AfterFork&) = delete;
    AfterFork& operator=(const AfterFork&) = delete;

private:
    std::function<void()> action_;
};

// If standard input, output or error is closed, opens something in its place, so that no file opened later gets its
// descriptor. Reading or writing it fails, except that standard error discards output. Call it first in main.
void fill_standard_files();

// Sets the process up before any tensor work; call it before all else.
// - One thread inside an operator (LibTorch's pool and the BLAS): the unit of parallelism is the worker.
// - The first thread has its stack from the start: running out of memory later is an error, never a crash.
// - Freed memory is kept for reuse (platform/memory.h), as training and translation allocate the same arrays again and
//   again.
// - Denormal floats are flushed to zero: they make no difference in training and are tens of times slower.
// - If the processor and the system support AVX-512 but OpenBLAS chose AVX2 kernels (it does not know newer
//   processors), makes it choose again. If it has no functions for that, sets OPENBLAS_CORETYPE, which is read when the
//   library loads, and re-executes the program with the same arguments, once: SOFTALIGN_REEXEC guards that. Set it to 0
//   to prevent both. An OPENBLAS_CORETYPE set by the user is respected.
void set_up_process(char** argv);

// The environment ("NAME=value") before set_up_process changed it, for starting this program as the user did.
std::vector<std::string> environment_of_user();

// Arguments or an environment as execve() and posix_spawn() take them: pointers into the texts, then a null pointer.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// The per-thread part of set_up_process (threads and denormals). Call it at the start of every worker thread.
void set_up_thread();

// The same for a thread of the host program when softalign is embedded; the destructor restores its state. Reserves the
// BLAS buffers that the thread needs (BlasBuffers) and throws std::bad_alloc if there is no memory for them.
class VisitedThread {
public:
    VisitedThread();
    ~VisitedThread();
    VisitedThread(const VisitedThread&) = delete;
    VisitedThread& operator=(const VisitedThread&) = delete;

private:
    BlasBuffers buffers_{1};
    int operator_threads_;
    std::fenv_t floating_point_;  // includes the flushing of denormals
};

// The part of set_up_process that works after the start, for a host program that embeds softalign: one thread inside
// the BLAS, and the stack if it is called by the first thread.
void set_up_library();

// Exits at once, without LibTorch's destructors, which can take longer than the command itself. Flushes C's files; C++
// streams and other files are the caller's task. A build with sanitizers exits as usual, so that they can
// report.
[[noreturn]] void end_process(int code);

}  // namespace softalign
