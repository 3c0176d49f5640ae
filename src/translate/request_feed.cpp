#include "translate/request_feed.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <thread>

namespace softalign {

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
