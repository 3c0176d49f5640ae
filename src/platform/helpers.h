#pragma once

#include <functional>
#include <optional>
#include <string>

namespace softalign {

// Others that compute for this process while its own workers do: other processes.
class Helpers {
public:
    // What to compute, and what to do with the result, in any thread.
    struct Job {
        std::string request;
        std::function<void(const std::string& answer)> take;
    };

    // The next job, for a helper of so many workers; nothing where none is left. Called by one thread at a time.
    using Next = std::function<std::optional<Job>(int workers)>;

    virtual ~Helpers() = default;

    // Until finish(), helpers that are idle get the next job.
    virtual void start(Next next) = 0;

    // Waits until helpers have done the jobs that they have; no further ones are given. Throws what went wrong.
    virtual void finish() = 0;
};

}  // namespace softalign
