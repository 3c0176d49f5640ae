#include "platform/process.h"

#include <pthread.h>

#include <functional>
#include <mutex>
#include <new>
#include <set>
#include <utility>

namespace softalign {

namespace {

struct Registry {
    std::mutex mutex;  // held during a fork, so that the set is whole in the child
    std::set<const std::function<void()>*> actions;
};

// Never destroyed: objects with static storage duration may outlive it otherwise.
Registry& registry() {
    static Registry& instance = [&]() -> Registry& {
        auto* const made = new Registry;
        const int fault = ::pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                                           [] {
                                               for (const std::function<void()>* action : registry().actions) {
                                                   (*action)();
                                               }
                                               registry().mutex.unlock();
                                           });
        if (fault != 0) {
            delete made;
            throw std::bad_alloc();
        }
        return *made;
    }();
    return instance;
}

}  // namespace

AfterFork::AfterFork(std::function<void()> action) : action_(std::move(action)) {
    Registry& all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.actions.insert(&action_);
}

AfterFork::~AfterFork() {
    Registry& all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.actions.erase(&action_);
}

}  // namespace softalign
