#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "platform/blas.h"
#include "platform/numa.h"
#include "platform/process.h"

namespace softalign {

// A fixed set of threads that work through numbered tasks. Any thread may take any task, so the result of a task must
// depend on its number only.
class WorkerPool {
public:
    // The calling thread is worker 0; workers - 1 threads are started. All can multiply at the same time (BlasBuffers).
    // Each thread that is started stays on the NUMA node that worker_places() gives it; the caller's is left where it
    // is. Throws std::bad_alloc or std::system_error if the system cannot start as many. REQUIRES: workers >= 1.
    explicit WorkerPool(int workers, const Share& process = {});
    // The same, with places of the caller's choice. REQUIRES: one for each worker.
    explicit WorkerPool(std::vector<Processors> places);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    int size() const { return static_cast<int>(places_.size()); }

    // Calls task(index, worker) for every index in [0, count) and returns when all are done. After an exception, no new
    // task starts, and the first exception is rethrown when the running tasks have ended. Not to be called from a
    // task. Several threads may call it at the same time. A call with one task, or to a pool of one worker, runs on the
    // caller's thread; other calls take turns to use all the workers. Tasks are Computing, and a caller that is pauses
    // between them. In the child of a fork, the first call that needs workers starts them anew, and may throw as the
    // constructor does. REQUIRES: no other thread was in a call when the process was forked.
    void run(std::int64_t count, const std::function<void(std::int64_t index, int worker)>& task);

private:
    class Crew;

    std::vector<Processors> places_;  // of the workers
    BlasBuffers buffers_;
    std::unique_ptr<Crew> crew_;
    AfterFork after_fork_;
};

}  // namespace softalign
