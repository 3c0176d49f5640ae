#include "platform/worker_pool.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "platform/process.h"

namespace softalign {

WorkerPool::WorkerPool(int workers) : buffers_(workers) {
    set_up_thread();  // the caller is a worker too
    threads_.reserve(static_cast<std::size_t>(workers - 1));
    try {
        for (int worker = 1; worker < workers; ++worker) {
            threads_.emplace_back([this, worker] { serve(worker); });
        }
    } catch (...) {
        stop();  // those that the system did start
        throw;
    }
}

WorkerPool::~WorkerPool() {
    stop();
}

void WorkerPool::stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void WorkerPool::run(std::int64_t count, const std::function<void(std::int64_t, int)>& task) {
    if (count <= 1 || threads_.empty()) {
        for (std::int64_t index = 0; index < count; ++index) {
            task(index, 0);
        }
        return;
    }
    const std::lock_guard<std::mutex> turn(turn_);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        task_ = &task;
        count_ = count;
        next_ = 0;
        failure_ = nullptr;
        busy_ = static_cast<int>(threads_.size());
        ++round_;
    }
    start_.notify_all();
    take_tasks(0);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    task_ = nullptr;
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void WorkerPool::serve(int worker) {
    set_up_thread();
    std::int64_t seen = 0;
    while (true) {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            start_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) {
                return;
            }
            seen = round_;
        }
        take_tasks(worker);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (--busy_ == 0) {
            done_.notify_one();
        }
    }
}

void WorkerPool::take_tasks(int worker) {
    while (true) {
        std::int64_t index = 0;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (next_ >= count_ || failure_) {
                return;
            }
            index = next_++;
        }
        try {
            (*task_)(index, worker);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!failure_) {
                failure_ = std::current_exception();
            }
        }
    }
}

}  // namespace softalign
