#include "platform/computing.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "platform/process.h"

namespace softalign {

namespace {

struct ComputingThreads {
    std::mutex mutex;
    std::condition_variable fewer;
    std::set<std::thread::id> ids;
    bool ended = false;
};

// Never destroyed: threads use it until the process is gone.
ComputingThreads* current = new ComputingThreads;

// Those that compute in the parent are not in the child.
void forget_threads() {
    current = new ComputingThreads;
}

// Whether the thread did not compute before.
bool enter() {
    static const AfterFork* const in_child = new AfterFork(&forget_threads);
    static_cast<void>(in_child);
    ComputingThreads& threads = *current;
    std::unique_lock<std::mutex> lock(threads.mutex);
    const bool entered = threads.ids.insert(std::this_thread::get_id()).second;
    if (entered && threads.ended) {
        threads.ids.erase(std::this_thread::get_id());
        lock.unlock();
        while (true) {
            ::pause();
        }
    }
    return entered;
}

// Whether the thread computed before.
bool leave() {
    ComputingThreads& threads = *current;
    const std::lock_guard<std::mutex> lock(threads.mutex);
    const bool left = threads.ids.erase(std::this_thread::get_id()) > 0;
    threads.fewer.notify_all();
    return left;
}

}  // namespace

Computing::Computing() : entered_(enter()) {}

Computing::~Computing() {
    if (entered_) {
        leave();
    }
}

ComputingPause::ComputingPause() : left_(leave()) {}

ComputingPause::~ComputingPause() {
    if (left_) {
        enter();
    }
}

void end_computing() {
    ComputingThreads& threads = *current;
    std::unique_lock<std::mutex> lock(threads.mutex);
    threads.ended = true;
    threads.fewer.wait(lock, [&] { return threads.ids.size() == threads.ids.count(std::this_thread::get_id()); });
}

bool computing_has_ended() {
    ComputingThreads& threads = *current;
    const std::lock_guard<std::mutex> lock(threads.mutex);
    return threads.ended;
}

namespace {

using SetThreads = void (*)(int);

// The function of the OpenMP library that LibTorch uses; a program may have several. Its setting is that of a thread.
SetThreads find_omp_set_num_threads() {
    Dl_info where{};
    void* library = nullptr;
    if (::dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &where) != 0 && where.dli_fname != nullptr) {
        library = ::dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    return reinterpret_cast<SetThreads>(::dlsym(library != nullptr ? library : RTLD_DEFAULT, "omp_set_num_threads"));
}

}  // namespace

int operator_threads() {
    return at::get_num_threads();
}

void set_operator_threads(int threads) {
    static const SetThreads omp_set_num_threads = find_omp_set_num_threads();
    at::get_num_threads();  // LibTorch sets a thread up at the first call, and not again
    if (omp_set_num_threads != nullptr) {
        omp_set_num_threads(threads);
    }
    if (at::get_num_threads() != threads) {
        at::set_num_threads(threads);
    }
}

}  // namespace softalign
