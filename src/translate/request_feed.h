#pragma once

#include <cstddef>
#include <memory>
#include <thread>

#include "text/interrupt.h"
#include "translate/request_queue.h"
#include "translate/request_reader.h"

namespace softalign {

// Reads the sentences of a text on its own thread, so that each one is available as soon as it arrives, while earlier
// ones are being translated.
class RequestFeed {
public:
    // Opens the files. Throws Error(data) if one cannot be opened.
    explicit RequestFeed(const RequestFiles& files);
    // Stops reading, even if the thread is waiting for a pipe that stays open.
    ~RequestFeed();
    RequestFeed(const RequestFeed&) = delete;
    RequestFeed& operator=(const RequestFeed&) = delete;

    bool is_regular() const { return reader_.is_regular(); }

    // Starts reading, at most `capacity` sentences ahead. Errors in the text are thrown by the queue when it gets to
    // them; see RequestReader. REQUIRES: called once.
    RequestQueue& start(std::size_t capacity);

private:
    void read();

    Interrupt interrupt_;
    RequestReader reader_;
    std::unique_ptr<RequestQueue> queue_;
    std::thread thread_;
};

}  // namespace softalign
