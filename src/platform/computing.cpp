#include "platform/computing.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "platform/after_fork.h"

namespace softalign {

namespace {

struct Count {
    std::mutex mutex;
    std::condition_variable none;
    int threads = 0;
    bool ended = false;
};

// Never destroyed: threads use it until the process is gone.
Count* current = new Count;

// Those that compute in the parent are not in the child.
void start_again() {
    current = new Count;
}

thread_local bool computes = false;

void enter() {
    static const AfterFork* const in_child = new AfterFork(&start_again);
    static_cast<void>(in_child);
    Count& count = *current;
    std::unique_lock<std::mutex> lock(count.mutex);
    if (count.ended) {
        lock.unlock();
        while (true) {
            ::pause();
        }
    }
    ++count.threads;
    computes = true;
}

void leave() {
    Count& count = *current;
    const std::lock_guard<std::mutex> lock(count.mutex);
    computes = false;
    if (--count.threads == 0) {
        count.none.notify_all();
    }
}

}  // namespace

Computing::Computing() : before_(computes) {
    if (!before_) {
        enter();
    }
}

Computing::~Computing() {
    if (!before_) {
        leave();
    }
}

ComputingPause::ComputingPause() : before_(computes) {
    if (before_) {
        leave();
    }
}

ComputingPause::~ComputingPause() {
    if (before_) {
        enter();
    }
}

void end_computing() {
    Count& count = *current;
    std::unique_lock<std::mutex> lock(count.mutex);
    count.ended = true;
    count.none.wait(lock, [&] { return count.threads == (computes ? 1 : 0); });
}

bool computing_has_ended() {
    Count& count = *current;
    const std::lock_guard<std::mutex> lock(count.mutex);
    return count.ended;
}

}  // namespace softalign
