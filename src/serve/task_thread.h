#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace softalign {

// A thread that does what it is given, in order.
class TaskThread {
public:
    using Task = std::function<void()>;

    // `most_bytes`: that may wait.
    explicit TaskThread(std::size_t most_bytes);
    // Drops what waits.
    ~TaskThread();
    TaskThread(const TaskThread&) = delete;
    TaskThread& operator=(const TaskThread&) = delete;

    // False, and the task is dropped, if more would wait than may, unless nothing does. `bytes`: that the task holds.
    // It must not throw.
    bool add(std::size_t bytes, Task task);

private:
    struct Waiting {
        std::size_t bytes;
        Task task;
    };

    void work();

    const std::size_t most_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    std::size_t bytes_ = 0;  // of what waits and of what is being done
    bool ending_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace softalign
