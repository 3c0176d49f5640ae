#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "text/interrupt.h"
#include "text/line_reader.h"
#include "translate/line_queue.h"

namespace softalign {

// The lines of a text, read by a thread of its own: a line is there as soon as it has come, while others are waited for
// and while earlier ones are at work.
class LineFeed {
public:
    // Opens the text: "-" is standard input. Throws Error(data) where it cannot be opened.
    explicit LineFeed(const std::string& path);
    // Ends the reading, also where it waits for a pipe that stays open.
    ~LineFeed();
    LineFeed(const LineFeed&) = delete;
    LineFeed& operator=(const LineFeed&) = delete;

    bool is_regular_file() const { return reader_.is_regular_file(); }

    // Starts to read, at most `capacity` lines ahead. What is wrong with the text, a line that is not UTF-8 among them,
    // is thrown where the queue comes to it, as Error(data) naming the line. REQUIRES: called once.
    LineQueue& start(std::size_t capacity);

private:
    void read();

    Interrupt interrupt_;
    LineReader reader_;
    std::unique_ptr<LineQueue> queue_;
    std::thread thread_;
};

}  // namespace softalign
