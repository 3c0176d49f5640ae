#include "translate/line_feed.h"

#include <exception>
#include <utility>

namespace softalign {

LineFeed::LineFeed(const std::string& path) : reader_(path, &interrupt_) {}

LineFeed::~LineFeed() {
    if (thread_.joinable()) {
        queue_->abandon();
        interrupt_.raise();
        thread_.join();
    }
}

LineQueue& LineFeed::start(std::size_t capacity) {
    queue_ = std::make_unique<LineQueue>(capacity);
    thread_ = std::thread([this] { read(); });
    return *queue_;
}

void LineFeed::read() {
    try {
        std::string line;
        while (reader_.next(line)) {
            reader_.require_utf8(line);
            if (!queue_->push(std::move(line))) {
                return;
            }
        }
        queue_->close();
    } catch (...) {
        queue_->close(std::current_exception());
    }
}

}  // namespace softalign
