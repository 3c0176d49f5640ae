#include "translate/request_queue.h"

#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace softalign {

RequestQueue::RequestQueue(std::size_t capacity) : capacity_(capacity) {}

bool RequestQueue::push(TranslationRequest request) {
    {
        std::unique_lock<std::mutex> lock(mutex_);
        has_room_.wait(lock, [this] { return requests_.size() < capacity_ || abandoned_; });
        if (abandoned_) {
            return false;
        }
        requests_.push_back(std::move(request));
    }
    has_requests_.notify_one();
    return true;
}

void RequestQueue::close(std::exception_ptr failure) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        failure_ = std::move(failure);
    }
    has_requests_.notify_one();
}

bool RequestQueue::take(std::size_t least, std::size_t most, std::vector<TranslationRequest>& requests) {
    requests.clear();
    {
        std::unique_lock<std::mutex> lock(mutex_);
        has_requests_.wait(lock, [&] { return requests_.size() >= least || closed_; });
        if (requests_.empty() && failure_) {
            std::rethrow_exception(failure_);
        }
        while (!requests_.empty() && requests.size() < most) {
            requests.push_back(std::move(requests_.front()));
            requests_.pop_front();
        }
    }
    has_room_.notify_one();
    return !requests.empty();
}

void RequestQueue::abandon() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        abandoned_ = true;
        requests_.clear();
    }
    has_room_.notify_one();
}

}  // namespace softalign
