#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "translate/batch_translator.h"

namespace softalign {

// Sentences in their order, on the way from one thread that reads them to one that translates them. It holds no more
// than so many of them: a reader that is ahead waits.
class RequestQueue {
public:
    // REQUIRES: capacity >= 1.
    explicit RequestQueue(std::size_t capacity);

    // The reading thread: adds a sentence, waiting for room. False, and it is dropped, where nobody wants any more.
    bool push(TranslationRequest request);

    // The reading thread: no sentence comes after those pushed; with a failure, that is why.
    void close(std::exception_ptr failure = nullptr);

    // The other thread: makes `requests` the next ones, `most` at the most; waits until `least` are there or no more
    // come. After the last one false, with none, or the failure that the queue was closed with. REQUIRES: 1 <= least
    // <= most, least <= capacity.
    bool take(std::size_t least, std::size_t most, std::vector<TranslationRequest>& requests);

    // The other thread: none is wanted any more.
    void abandon();

private:
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable has_room_;
    std::condition_variable has_requests_;
    std::deque<TranslationRequest> requests_;
    bool closed_ = false;
    bool abandoned_ = false;
    std::exception_ptr failure_;
};

}  // namespace softalign
