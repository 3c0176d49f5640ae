#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config/config.h"
#include "data/source_lines.h"
#include "text/line_reader.h"
#include "translate/batching.h"
#include "translate/sentence_encoder.h"

namespace softalign {

// Passes sentences, in order, from a thread that reads them to one that translates them. It holds at most `capacity`
// sentences, and takes none as long as it holds `bytes` of text; a reader that is too far ahead waits.
class RequestQueue {
public:
    // REQUIRES: capacity >= 1, bytes >= 1.
    explicit RequestQueue(std::size_t capacity, std::size_t bytes = chunk_bytes);

    // Reading thread: waits for room and adds a sentence. Drops it and returns false after abandon().
    bool push(TranslationRequest request);

    // Any thread: ends the stream, after an error if `failure` is set; of several errors, the first counts.
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

// The files with the sentences of a text and the constraints on their translations.
struct RequestFiles {
    std::string text = "-";
    std::string prefixes;  // one line per sentence: the start of its translation, or blank; empty = no such file
    std::string phrases;   // one line per sentence: phrases separated by tabs, or blank; empty = no such file
    SourceType type = SourceType::text;  // of the text; features are named as in data/source_lines.h
};

// Reads the files in parallel. They may be plain or gzip; "-" is standard input.
class RequestReader {
public:
    // Throws Error(data): missing, unreadable, a directory. Once `interrupt` is raised, the files end where they have
    // been read to. REQUIRES: it outlives this.
    explicit RequestReader(const RequestFiles& files, const Interrupt* interrupt = nullptr);

    // The next sentence; false after the last. Throws Error(data), naming file and line, for what cannot be read or is
    // not UTF-8, for an empty phrase between others, and where the files differ in their number of lines.
    bool next(TranslationRequest& request);

    // Whether all of them are regular files rather than pipes, terminals or other devices.
    bool is_regular() const;

private:
    SourceLines text_;
    std::unique_ptr<LineReader> prefixes_;
    std::unique_ptr<LineReader> phrases_;
};

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
