#include "platform/worker_pool.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "platform/computing.h"
#include "platform/process.h"

namespace softalign {

// The threads, and what they share with the caller of run().
class WorkerPool::Crew {
public:
    ~Crew() { stop(); }

    // Starts the workers, unless they have been started.
    void start(const std::vector<Processors>& places);
    void run(const std::vector<Processors>& places, std::int64_t count,
             const std::function<void(std::int64_t, int)>& task);

private:
    void serve(int worker, const Processors& place);
    void stop();
    void take_tasks(int worker);

    std::vector<std::thread> threads_;
    std::mutex turn_;  // held by the call that uses the workers
    std::mutex mutex_;
    std::condition_variable start_;
    std::condition_variable done_;
    const std::function<void(std::int64_t, int)>* task_ = nullptr;
    std::int64_t count_ = 0;
    std::int64_t next_ = 0;
    std::int64_t round_ = 0;
    int busy_ = 0;
    bool stop_ = false;
    std::exception_ptr failure_;
};

void WorkerPool::Crew::start(const std::vector<Processors>& places) {
    if (!threads_.empty()) {
        return;
    }
    threads_.reserve(places.size() - 1);
    try {
        for (std::size_t worker = 1; worker < places.size(); ++worker) {
            threads_.emplace_back([this, worker, place = places[worker]] { serve(static_cast<int>(worker), place); });
        }
    } catch (...) {
        stop();  // those that the system did start
        throw;
    }
}

void WorkerPool::Crew::stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
    stop_ = false;
}

void WorkerPool::Crew::run(const std::vector<Processors>& places, std::int64_t count,
                           const std::function<void(std::int64_t, int)>& task) {
    const std::lock_guard<std::mutex> turn(turn_);
    start(places);
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

void WorkerPool::Crew::serve(int worker, const Processors& place) {
    stay_on(place);
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

void WorkerPool::Crew::take_tasks(int worker) {
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
            const Computing computing;
            (*task_)(index, worker);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!failure_) {
                failure_ = std::current_exception();
            }
        }
    }
}

WorkerPool::WorkerPool(int workers, const Share& process)
    : WorkerPool(worker_places(workers, process, processors_by_node())) {}

WorkerPool::WorkerPool(std::vector<Processors> places)
    : places_(std::move(places)), buffers_(size()), crew_(std::make_unique<Crew>()), after_fork_([this] {
          // Its threads are not here, and its locks and conditions may wait for them: it cannot even be destroyed.
          static_cast<void>(crew_.release());
          crew_ = std::make_unique<Crew>();
      }) {
    set_up_thread();  // the caller is a worker too
    crew_->start(places_);
}

WorkerPool::~WorkerPool() = default;

void WorkerPool::run(std::int64_t count, const std::function<void(std::int64_t, int)>& task) {
    const ComputingPause pause;
    if (count > 1 && size() > 1) {
        crew_->run(places_, count, task);
        return;
    }
    for (std::int64_t index = 0; index < count; ++index) {
        const Computing computing;
        task(index, 0);
    }
}

}  // namespace softalign
