#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

namespace softalign {

// Lines in their order, on the way from one thread that reads them to one that uses them. It holds no more than so many
// of them: a reader that is ahead waits.
class LineQueue {
public:
    // REQUIRES: capacity >= 1.
    explicit LineQueue(std::size_t capacity);

    // The reading thread: adds a line, waiting for room. False, and the line is dropped, where nobody wants lines any
    // more.
    bool push(std::string line);

    // The reading thread: no line comes after those pushed; with a failure, that is why.
    void close(std::exception_ptr failure = nullptr);

    // The using thread: makes `lines` the next ones, `most` at the most; waits until `least` are there or no more come.
    // After the last line false, with none, or the failure that the queue was closed with. REQUIRES: 1 <= least <=
    // most, least <= capacity.
    bool take(std::size_t least, std::size_t most, std::vector<std::string>& lines);

    // The using thread: no lines are wanted any more.
    void abandon();

private:
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable has_room_;
    std::condition_variable has_lines_;
    std::deque<std::string> lines_;
    bool closed_ = false;
    bool abandoned_ = false;
    std::exception_ptr failure_;
};

}  // namespace softalign
