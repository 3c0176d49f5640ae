#pragma once

#include <cfenv>
#include <string>
#include <vector>

#include "platform/blas_buffers.h"

namespace softalign {

// Puts something that gives an error when it is read or written (standard error: nothing at all) where standard input,
// output or error is closed, so that no file which is opened later takes their place. Call it first in main.
void fill_standard_files();

// Sets the process up before any tensor work; call it before all else.
// - One thread inside an operator (LibTorch's pool and the BLAS): the unit of parallelism is the worker.
// - Denormal floats are flushed to zero: they carry nothing in training and are tens of times slower.
// - Where the processor and the system have AVX-512 but this OpenBLAS chose AVX2 kernels (it does not know newer
//   processors), lets it choose again. Where it has no functions for that, sets OPENBLAS_CORETYPE, which is read when
//   the library loads, and starts the program again with the same arguments: once, which SOFTALIGN_REEXEC guards. A
//   user may set that to 0 to forbid both. A user's own OPENBLAS_CORETYPE is respected.
void set_up_process(char** argv);

// The environment ("NAME=value") as it was before set_up_process changed it: for starting this program as a user does.
std::vector<std::string> environment_of_user();

// The part of it that belongs to a thread (threads and denormals). Call at the start of every worker thread.
void set_up_thread();

// The same for a thread of a program that this one is a part of, which is as it was when the object ends. It can
// multiply whatever the others do (BlasBuffers); throws std::bad_alloc where there is no room for that.
class VisitedThread {
public:
    VisitedThread();
    ~VisitedThread();
    VisitedThread(const VisitedThread&) = delete;
    VisitedThread& operator=(const VisitedThread&) = delete;

private:
    BlasBuffers buffers_{1};
    int operator_threads_;
    std::fenv_t floating_point_;  // flushing of denormals is a part of it
};

// The part of set_up_process that can be had after the start, for a program that this one is a part of: one thread
// inside the BLAS.
void set_up_library();

// Ends the program at once, without taking LibTorch apart first, which takes longer than many a command. C's files are
// flushed; C++'s streams and files of others are the caller's. Built with sanitizers it ends as usual, so that they can
// report.
[[noreturn]] void end_process(int code);

}  // namespace softalign
