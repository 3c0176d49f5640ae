#include "translate/request_queue.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace softalign {

namespace {

std::size_t bytes_of(const TranslationRequest& request) {
    std::size_t bytes = request.text.size() + request.prefix.size();
    for (const std::string& phrase : request.phrases) {
        bytes += phrase.size() + sizeof(phrase);
    }
    return bytes;
}

}  // namespace

RequestQueue::RequestQueue(std::size_t capacity, std::size_t bytes) : capacity_(capacity), most_bytes_(bytes) {}

bool RequestQueue::push(TranslationRequest request) {
    {
        std::unique_lock<std::mutex> lock(mutex_);
        has_room_.wait(lock, [this] { return (requests_.size() < capacity_ && !is_full_of_text()) || abandoned_; });
        if (abandoned_) {
            return false;
        }
        bytes_ += bytes_of(request);
        requests_.push_back(std::move(request));
    }
    has_requests_.notify_one();
    return true;
}

void RequestQueue::close(std::exception_ptr failure) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failure_) {
            failure_ = std::move(failure);
        }
        closed_ = true;
    }
    has_requests_.notify_one();
}

bool RequestQueue::take(std::size_t least, std::size_t most, std::vector<TranslationRequest>& requests) {
    requests.clear();
    {
        std::unique_lock<std::mutex> lock(mutex_);
        has_requests_.wait(lock, [&] { return requests_.size() >= least || is_full_of_text() || closed_; });
        if (requests_.empty() && failure_) {
            std::rethrow_exception(failure_);
        }
        while (!requests_.empty() && requests.size() < most) {
            bytes_ -= bytes_of(requests_.front());
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
        bytes_ = 0;
    }
    has_room_.notify_one();
}

RequestFeed::RequestFeed(const RequestFiles& files) : reader_(files, &interrupt_) {}

RequestFeed::~RequestFeed() {
    if (thread_.joinable()) {
        queue_->abandon();
        interrupt_.raise();
        thread_.join();
    }
}

RequestQueue& RequestFeed::start(std::size_t capacity) {
    queue_ = std::make_unique<RequestQueue>(capacity);
    thread_ = std::thread([this] { read(); });
    return *queue_;
}

void RequestFeed::read() {
    try {
        for (TranslationRequest request; reader_.next(request);) {
            if (!queue_->push(request)) {
                return;
            }
        }
        queue_->close();
    } catch (...) {
        queue_->close(std::current_exception());
    }
}

}  // namespace softalign
