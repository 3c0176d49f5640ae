#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "distributed/group.h"
#include "platform/helpers.h"

namespace softalign {

// The other processes of a group as helpers of rank 0. A thread for each of them gives it jobs and waits for answers.
class ProcessHelpers : public Helpers {
public:
    // The group is used by nobody else until this is destroyed. REQUIRES: group is rank 0's and outlives this; the
    // others call help().
    explicit ProcessHelpers(Group& group);
    ~ProcessHelpers() override;

    // What all processes must have alike: an object whose names are used in messages. A helper with others is an error.
    // REQUIRES: called once, before start().
    void require_same(nlohmann::ordered_json settings);

    void start(Next next) override;
    void finish() override;

    // Calls `action` with what went wrong, once something has, in any thread; null: nothing. It must not call this.
    void on_failure(std::function<void(std::exception_ptr)> action);

    // Tells the others that there is no more to do. Throws what went wrong. REQUIRES: called once, nothing afterwards.
    void dismiss();

private:
    void work_with(int rank);
    void check_settings(int rank, const nlohmann::ordered_json& theirs);
    std::optional<Job> next_job(int rank, int workers);
    template <typename Condition>
    bool wait(int rank, std::unique_lock<std::mutex>& lock, const Condition& condition);
    bool is_dismissed();
    void note(std::exception_ptr failure);  // REQUIRES: mutex_ is held

    Group& group_;
    std::mutex mutex_;
    std::condition_variable changed_;
    nlohmann::ordered_json settings_;
    Next next_;  // while there may be jobs
    int busy_ = 0;
    bool dismissed_ = false;
    bool abandoned_ = false;
    std::exception_ptr failure_;
    std::function<void(std::exception_ptr)> on_failure_;
    std::vector<std::thread> threads_;
};

// What a process does for rank 0.
struct Help {
    int workers = 1;
    nlohmann::ordered_json settings;  // ProcessHelpers::require_same
    std::function<std::string(const std::string& request)> answer;
};

// Of all ranks but 0: works for it until it dismisses this process. `prepare` may take its time, as may each answer.
// Throws like Group and what `prepare` and the answers throw.
void help(Group& group, const std::function<Help()>& prepare);

}  // namespace softalign
