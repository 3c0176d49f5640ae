#include "translate/line_queue.h"

#include <utility>

namespace softalign {

LineQueue::LineQueue(std::size_t capacity) : capacity_(capacity) {}

bool LineQueue::push(std::string line) {
    {
        std::unique_lock<std::mutex> lock(mutex_);
        has_room_.wait(lock, [this] { return lines_.size() < capacity_ || abandoned_; });
        if (abandoned_) {
            return false;
        }
        lines_.push_back(std::move(line));
    }
    has_lines_.notify_one();
    return true;
}

void LineQueue::close(std::exception_ptr failure) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        failure_ = std::move(failure);
    }
    has_lines_.notify_one();
}

bool LineQueue::take(std::size_t least, std::size_t most, std::vector<std::string>& lines) {
    lines.clear();
    {
        std::unique_lock<std::mutex> lock(mutex_);
        has_lines_.wait(lock, [&] { return lines_.size() >= least || closed_; });
        if (lines_.empty() && failure_) {
            std::rethrow_exception(failure_);
        }
        while (!lines_.empty() && lines.size() < most) {
            lines.push_back(std::move(lines_.front()));
            lines_.pop_front();
        }
    }
    has_room_.notify_one();
    return !lines.empty();
}

void LineQueue::abandon() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        abandoned_ = true;
        lines_.clear();
    }
    has_room_.notify_one();
}

}  // namespace softalign
