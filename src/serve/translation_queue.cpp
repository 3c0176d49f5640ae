#include "serve/translation_queue.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "platform/computing.h"
#include "platform/process.h"

namespace softalign {

TranslationQueue::TranslationQueue(int threads, std::size_t most_sentences, CountBatch count_batch)
    : most_sentences_(most_sentences), count_batch_(std::move(count_batch)) {
    try {
        for (int i = 0; i < threads; ++i) {
            std::promise<void> ready;
            threads_.emplace_back([this, &ready] { work(ready); });
            ready.get_future().get();
        }
        watch_ = std::thread([this] { watch_deadlines(); });
    } catch (const std::exception&) {  // there may be no more threads
        stop();
        throw;
    }
}

TranslationQueue::~TranslationQueue() {
    stop();
}

void TranslationQueue::stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    deadlines_changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    if (watch_.joinable()) {
        watch_.join();
    }
}

bool TranslationQueue::add(Job job) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::size_t sentences = job->sentences.size();
        if (waiting_ > 0 && waiting_ + sentences > most_sentences_) {
            return false;
        }
        job->results.resize(sentences);
        jobs_.push_back(std::move(job));
        waiting_ += sentences;  // what is above may throw
    }
    changed_.notify_one();
    deadlines_changed_.notify_one();
    return true;
}

std::size_t TranslationQueue::waiting() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiting_;
}

void TranslationQueue::work(std::promise<void>& ready) {
    const Computing computing;
    std::optional<VisitedThread> thread;
    try {
        thread.emplace();
    } catch (const std::exception&) {
        ready.set_exception(std::current_exception());
        return;
    }
    ready.set_value();
    for (;;) {
        const std::vector<Taken> batch = take();
        if (batch.empty()) {
            return;
        }
        count_batch_(batch.size());
        translate(batch);
    }
}

namespace {

// The sentences of a batch.
std::size_t most_of(const TranslationJob& job) {
    return static_cast<std::size_t>(job.options.search.batch_size);
}

}  // namespace

// Empty at the end of the queue.
std::vector<TranslationQueue::Taken> TranslationQueue::take() {
    std::vector<Taken> batch;
    while (batch.empty()) {
        std::vector<Job> expired;
        bool ended = false;
        {
            const ComputingPause pause;
            std::unique_lock<std::mutex> lock(mutex_);
            changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
            try {  // what is taken from the queue below is not lost by a lack of memory
                expired.reserve(jobs_.size());
                for (const Job& job : jobs_) {
                    batch.reserve(most_of(*job));
                }
            } catch (const std::bad_alloc&) {
                changed_.wait_for(lock, std::chrono::milliseconds(20));
                continue;
            }
            drop_expired(expired);
            take_turns(batch);
            ended = ending_;
            if (!jobs_.empty()) {
                changed_.notify_one();
            }
        }
        for (const Job& job : expired) {
            end(*job);
        }
        if (ended) {
            break;
        }
    }
    return batch;
}

// REQUIRES: the lock is held.
void TranslationQueue::drop_expired(std::vector<Job>& expired) {
    const auto now = std::chrono::steady_clock::now();
    const auto is_over = [&](const Job& job) {
        if (!ending_ && job->deadline > now && job->failure == nullptr) {
            return false;
        }
        waiting_ -= job->sentences.size() - job->next;
        job->next = job->sentences.size();
        if (job->failure == nullptr) {
            job->failure = std::make_exception_ptr(Expired());
        }
        if (job->under_way == 0) {
            expired.push_back(job);  // else whoever translates its last sentence says that it is done
        }
        return true;
    };
    jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(), is_over), jobs_.end());
}

void TranslationQueue::watch_deadlines() {
    const auto is_ending = [this] { return ending_.load(); };
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ending_) {
        if (jobs_.empty()) {
            deadlines_changed_.wait(lock);
            continue;
        }
        auto first = std::chrono::steady_clock::time_point::max();
        for (const Job& job : jobs_) {
            first = std::min(first, job->deadline);
        }
        if (first > std::chrono::steady_clock::now()) {
            deadlines_changed_.wait_until(lock, first);  // or until a job is added, whose deadline may be earlier
            continue;
        }
        std::vector<Job> expired;
        try {
            expired.reserve(jobs_.size());
        } catch (const std::bad_alloc&) {
            deadlines_changed_.wait_for(lock, std::chrono::milliseconds(20), is_ending);
            continue;
        }
        drop_expired(expired);
        lock.unlock();
        for (const Job& job : expired) {
            end(*job);
        }
        expired.clear();
        lock.lock();
    }
}

// REQUIRES: the lock is held.
void TranslationQueue::take_turns(std::vector<Taken>& batch) {
    if (jobs_.empty()) {
        return;
    }
    const Job first = jobs_.front();
    const std::size_t most = most_of(*first);
    const auto fits = [&](const Job& job) {
        return job->model == first->model && job->options_key == first->options_key &&
               job->next < job->sentences.size();
    };
    for (std::size_t before = most; batch.size() < most && before != batch.size();) {
        before = batch.size();
        for (const Job& job : jobs_) {
            if (batch.size() < most && fits(job)) {
                batch.push_back({job, job->next++});
                ++job->under_way;
            }
        }
    }
    waiting_ -= batch.size();
    // Those that got something and want more go to the end.
    std::stable_partition(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job->under_way == 0; });
    jobs_.erase(
        std::remove_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job->next == job->sentences.size(); }),
        jobs_.end());
}

// As long as any of the jobs has time left. Throws Expired.
std::vector<std::vector<Translation>> TranslationQueue::search(const std::vector<Taken>& batch) const {
    std::vector<TranslationRequest> sentences;
    auto deadline = batch.front().job->deadline;
    for (const Taken& taken : batch) {
        sentences.push_back(taken.job->sentences[taken.sentence]);
        deadline = std::max(deadline, taken.job->deadline);
    }
    TranslateOptions options = batch.front().job->options;
    options.first_sentence =
        static_cast<std::int64_t>(batch.front().sentence);  // so that messages name one that is alone
    options.before_step = [this, deadline] {
        if (ending_ || std::chrono::steady_clock::now() > deadline) {
            throw Expired();
        }
    };
    return batch.front().job->model->translate(sentences, options);
}

void TranslationQueue::translate(const std::vector<Taken>& batch) {
    std::vector<std::vector<Translation>> found;
    try {
        found = search(batch);
    } catch (const Expired&) {
        for (const Taken& taken : batch) {
            finish(taken, {}, std::current_exception());
        }
        return;
    } catch (const std::exception&) {
        // Whose sentence it was, and that the others are none the worse for it, is known only when each is alone.
        for (const Taken& taken : batch) {
            translate_alone(taken);
        }
        return;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        finish(batch[i], std::move(found[i]), nullptr);
    }
}

void TranslationQueue::translate_alone(const Taken& taken) {
    std::vector<Translation> found;
    std::exception_ptr failure;
    try {
        found = search({taken}).front();
    } catch (const std::exception&) {
        failure = std::current_exception();
    }
    finish(taken, std::move(found), failure);
}

void TranslationQueue::finish(const Taken& taken, std::vector<Translation> found, const std::exception_ptr& failure) {
    TranslationJob& job = *taken.job;
    bool done = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        job.results[taken.sentence] = std::move(found);
        if (failure != nullptr && job.failure == nullptr) {
            job.failure = failure;
        }
        --job.under_way;
        done = job.under_way == 0 && job.next == job.sentences.size();
    }
    if (done) {
        end(job);
    }
}

void TranslationQueue::end(TranslationJob& job) {
    try {
        job.done(job);
    } catch (const std::exception& error) {  // such as a lack of memory, which others may not feel
        spdlog::error("a response is lost: {}", error.what());
    }
}

}  // namespace softalign
