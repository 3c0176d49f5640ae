#pragma once

#include <cstddef>
#include <memory>
#include <thread>

#include "text/interrupt.h"
#include "translate/request_queue.h"
#include "translate/request_reader.h"

namespace softalign {

// The sentences of a text, read by a thread of its own: one is there as soon as it has come, while others are waited
// for and while earlier ones are at work.
class RequestFeed {
public:
    // Opens the files. Throws Error(data) where that cannot be.
    explicit RequestFeed(const RequestFiles& files);
    // Ends the reading, also where it waits for a pipe that stays open.
    ~RequestFeed();
    RequestFeed(const RequestFeed&) = delete;
    RequestFeed& operator=(const RequestFeed&) = delete;

    bool is_regular() const { return reader_.is_regular(); }

    // Starts to read, at most `capacity` sentences ahead. What is wrong with the text is thrown where the queue comes
    // to it, as RequestReader says. REQUIRES: called once.
    RequestQueue& start(std::size_t capacity);

private:
    void read();

    Interrupt interrupt_;
    RequestReader reader_;
    std::unique_ptr<RequestQueue> queue_;
    std::thread thread_;
};

}  // namespace softalign
