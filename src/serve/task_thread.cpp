#include "serve/task_thread.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace softalign {

TaskThread::TaskThread(std::size_t most_bytes) : most_bytes_(most_bytes), thread_([this] { work(); }) {}

TaskThread::~TaskThread() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

bool TaskThread::add(std::size_t bytes, Task task) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (bytes_ > 0 && bytes_ + bytes > most_bytes_) {
            return false;
        }
        waiting_.push_back({bytes, std::move(task)});
        bytes_ += bytes;
    }
    changed_.notify_one();
    return true;
}

void TaskThread::work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) {
            return;
        }
        Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        try {
            next.task();
            next.task = nullptr;
        } catch (const std::exception& error) {  // such as a lack of memory for the response too
            spdlog::error("a response is lost: {}", error.what());
        }
        lock.lock();
        bytes_ -= next.bytes;
    }
}

}  // namespace softalign
