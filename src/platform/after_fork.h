#pragma once

#include <functional>

namespace softalign {

// While this lives, `action` is called in the child of every fork, before fork returns there. It is for what does not
// survive a fork: threads, and locks that other threads held. `action` must neither throw nor make or destroy an
// AfterFork.
class AfterFork {
public:
    explicit AfterFork(std::function<void()> action);
    ~AfterFork();
    AfterFork(const AfterFork&) = delete;
    AfterFork& operator=(const AfterFork&) = delete;

private:
    std::function<void()> action_;
};

}  // namespace softalign
