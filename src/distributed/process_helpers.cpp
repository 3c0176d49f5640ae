#include "distributed/process_helpers.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

namespace {

using Json = nlohmann::ordered_json;

// Between signs of life. A helper looks as often whether the run has failed.
std::chrono::duration<double> pause_of(const Group& group) {
    return std::chrono::duration<double>(std::min(group.timeout() / 4.0, 1.0));
}

// What rank 0 sends begins with one of these.
constexpr char job_mark = 'j';
constexpr char end_mark = 'e';

// While it lives, rank 0 knows that this process computes.
class SignsOfLife {
public:
    explicit SignsOfLife(Group& group)
        : ended_(std::async(std::launch::async, [&group, stopped = stop_.get_future()] {
              while (stopped.wait_for(pause_of(group)) == std::future_status::timeout) {
                  group.throw_if_failed();
                  group.send_sign_of_life(0);
              }
          })) {}
    ~SignsOfLife() {
        if (ended_.valid()) {
            stop_.set_value();
        }
    }
    SignsOfLife(const SignsOfLife&) = delete;
    SignsOfLife& operator=(const SignsOfLife&) = delete;

    // Throws what has ended the run meanwhile.
    void end() {
        stop_.set_value();
        ended_.get();
    }

private:
    std::promise<void> stop_;
    std::future<void> ended_;
};

}  // namespace

ProcessHelpers::ProcessHelpers(Group& group) : group_(group) {
    for (int rank = 1; rank < group.size(); ++rank) {
        threads_.emplace_back([this, rank] {
            try {
                work_with(rank);
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex_);
                note(std::current_exception());
            }
        });
    }
}

ProcessHelpers::~ProcessHelpers() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        abandoned_ = true;
        next_ = nullptr;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void ProcessHelpers::start(Next next) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        next_ = std::move(next);
    }
    changed_.notify_all();
}

void ProcessHelpers::finish() {
    std::unique_lock<std::mutex> lock(mutex_);
    next_ = nullptr;
    changed_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void ProcessHelpers::dismiss() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        dismissed_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void ProcessHelpers::require_same(Json settings) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        settings_ = std::move(settings);
    }
    changed_.notify_all();
}

// Waits for the condition, with signs of life to the helper. False once there is no more to do for it.
template <typename Condition>
bool ProcessHelpers::wait(int rank, std::unique_lock<std::mutex>& lock, const Condition& condition) {
    while (!dismissed_ && !abandoned_ && !failure_) {
        if (condition()) {
            return true;
        }
        if (changed_.wait_for(lock, pause_of(group_)) == std::cv_status::timeout) {
            lock.unlock();
            group_.send_sign_of_life(rank);
            lock.lock();
        }
    }
    return false;
}

void ProcessHelpers::check_settings(int rank, const Json& theirs) {
    std::unique_lock<std::mutex> lock(mutex_);
    wait(rank, lock, [this] { return !settings_.is_null(); });
    for (const auto& [what, value] : settings_.items()) {
        const Json other = theirs.value(what, Json());
        if (other != value) {
            throw group_.difference(rank, what, json_text(other), json_text(value));
        }
    }
}

std::optional<Helpers::Job> ProcessHelpers::next_job(int rank, int workers) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::optional<Job> job;
    const bool found = wait(rank, lock, [&] {
        if (next_ && !(job = next_(workers))) {
            next_ = nullptr;
        }
        return job.has_value();
    });
    busy_ += found ? 1 : 0;
    return job;
}

void ProcessHelpers::work_with(int rank) {
    const Json hello = Json::parse(group_.receive(rank));  // it comes once the helper is ready
    const int workers = hello.at("workers");
    check_settings(rank, hello.at("settings"));
    while (const std::optional<Job> job = next_job(rank, workers)) {
        try {
            group_.send(rank, job_mark + job->request);
            job->take(group_.receive(rank));
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            --busy_;
            note(std::current_exception());
            return;
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        --busy_;
        changed_.notify_all();
    }
    if (is_dismissed()) {
        group_.send(rank, std::string(1, end_mark));
    }
}

bool ProcessHelpers::is_dismissed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return dismissed_ && !failure_;
}

void ProcessHelpers::note(std::exception_ptr failure) {
    next_ = nullptr;
    if (!failure_) {
        failure_ = std::move(failure);
        if (on_failure_) {
            on_failure_(failure_);
        }
    }
    changed_.notify_all();
}

void ProcessHelpers::on_failure(std::function<void(std::exception_ptr)> action) {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_failure_ = std::move(action);
    if (failure_ && on_failure_) {
        on_failure_(failure_);
    }
}

void help(Group& group, const std::function<Help()>& prepare) {
    std::optional<SignsOfLife> life(group);
    const Help mine = prepare();
    std::string message = json_text(Json{{"workers", mine.workers}, {"settings", mine.settings}});
    while (true) {
        life->end();
        group.send(0, message);
        const std::string request = group.receive(0);
        if (request.front() == end_mark) {
            return;
        }
        life.emplace(group);
        message = mine.answer(request.substr(1));
    }
}

}  // namespace softalign
