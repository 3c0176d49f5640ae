#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "translate/batch_translator.h"
#include "translate/batching.h"

namespace softalign {

// Passes sentences, in order, from a thread that reads them to one that translates them. It holds at most `capacity`
// sentences, and takes none as long as it holds `bytes` of text; a reader that is too far ahead waits.
class RequestQueue {
public:
    // REQUIRES: capacity >= 1, bytes >= 1.
    explicit RequestQueue(std::size_t capacity, std::size_t bytes = chunk_bytes);

    // Reading thread: waits for room and adds a sentence. Drops it and returns false after abandon().
    bool push(TranslationRequest request);

    // Reading thread: ends the stream, after an error if `failure` is set.
    void close(std::exception_ptr failure = nullptr);

    // Translating thread: sets `requests` to the next sentences, at most `most`, after waiting for `least` of them, for
    // a queue that is full of text, or for the end. After the last sentence, returns false with none, or throws the
    // failure of close(). REQUIRES: 1 <= least <= most, least <= capacity.
    bool take(std::size_t least, std::size_t most, std::vector<TranslationRequest>& requests);

    // Translating thread: no more sentences are wanted.
    void abandon();

private:
    bool is_full_of_text() const { return bytes_ >= most_bytes_; }

    const std::size_t capacity_;
    const std::size_t most_bytes_;
    std::mutex mutex_;
    std::condition_variable has_room_;
    std::condition_variable has_requests_;
    std::deque<TranslationRequest> requests_;
    std::size_t bytes_ = 0;  // of them
    bool closed_ = false;
    bool abandoned_ = false;
    std::exception_ptr failure_;
};

}  // namespace softalign
