#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/served_model.h"
#include "translate/batch_translator.h"
#include "translate/sentence_encoder.h"
#include "translate/translate_options.h"

namespace softalign {

// The sentences of one request, which are translated with one model and the same options.
struct TranslationJob {
    std::shared_ptr<const ServedModel> model;
    TranslateOptions options;
    std::string options_key;  // equal for equal options
    std::vector<TranslationRequest> sentences;
    std::chrono::steady_clock::time_point deadline;
    // Called once, on a thread of the queue, with `results`, or with `failure`.
    std::function<void(TranslationJob& job)> done;

    std::vector<std::vector<Translation>> results;  // of each sentence, best first
    std::exception_ptr failure;                     // the first error; Expired where time ran out

    // Of the queue.
    std::size_t next = 0;       // the first sentence that no thread has taken
    std::size_t under_way = 0;  // taken and not finished
};

// What a job fails with whose deadline passed before all its sentences were translated, or that the end of the queue
// dropped.
struct Expired : std::exception {
    const char* what() const noexcept override { return "the request took too long"; }
};

// Translates the sentences of many requests together. Each thread takes a batch at a time: of the first job that waits
// and of all others with its model and its options one sentence each, in turns, so that a long text holds up nobody.
class TranslationQueue {
public:
    using Job = std::shared_ptr<TranslationJob>;

    // What is counted, besides what a job is: the sentences of each batch.
    using CountBatch = std::function<void(std::size_t sentences)>;

    // REQUIRES: threads >= 1. Throws std::bad_alloc where there is no memory for a thread's buffers.
    TranslationQueue(int threads, std::size_t most_sentences, CountBatch count_batch);
    // Drops what waits, and what is being translated at the next step of its search.
    ~TranslationQueue();
    TranslationQueue(const TranslationQueue&) = delete;
    TranslationQueue& operator=(const TranslationQueue&) = delete;

    // False if more sentences would wait than may; the job is then not taken, unless nothing waits.
    // REQUIRES: it has sentences.
    bool add(Job job);

    // How many sentences wait.
    std::size_t waiting() const;

private:
    struct Taken {
        Job job;
        std::size_t sentence;
    };

    void stop();
    void work(std::promise<void>& ready);
    static void end(TranslationJob& job);
    std::vector<Taken> take();
    void take_turns(std::vector<Taken>& batch);
    void drop_expired(std::vector<Job>& expired);
    void watch_deadlines();
    void translate(const std::vector<Taken>& batch);
    void translate_alone(const Taken& taken);
    std::vector<std::vector<Translation>> search(const std::vector<Taken>& batch) const;
    void finish(const Taken& taken, std::vector<Translation> found, const std::exception_ptr& failure);

    const std::size_t most_sentences_;
    const CountBatch count_batch_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable deadlines_changed_;
    std::deque<Job> jobs_;  // with sentences that nobody has taken
    std::size_t waiting_ = 0;
    std::atomic<bool> ending_{false};
    std::vector<std::thread> threads_;
    std::thread watch_;  // ends what waits too long while all threads translate
};

}  // namespace softalign
