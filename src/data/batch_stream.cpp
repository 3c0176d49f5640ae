#include "data/batch_stream.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace softalign {

namespace {

constexpr std::uint64_t segmentation = 3;  // coordinate of the sampling keys; 1 and 2 are the plan's

}  // namespace

class BatchStream::Impl {
public:
    Impl(const Corpus& corpus, const BatchPlanOptions& options, const SpecialIdPair& special, bool sampling,
         std::int64_t epoch, std::int64_t position, std::int64_t prefetch)
        : corpus_(corpus),
          options_(options),
          special_(special),
          sampling_(sampling),
          prefetch_(static_cast<std::size_t>(std::max<std::int64_t>(prefetch, 1))),
          thread_([this, epoch, position] { run(epoch, position); }) {}

    ~Impl() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Item next() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return !ready_.empty() || failure_ != nullptr; });
        if (ready_.empty()) {
            std::rethrow_exception(failure_);
        }
        Item item = std::move(ready_.front());
        ready_.pop_front();
        lock.unlock();
        changed_.notify_all();
        return item;
    }

private:
    void run(std::int64_t epoch, std::int64_t position) noexcept {
        try {
            if (corpus_.size() == 0) {
                throw Error(ExitCode::data, "there is no sentence pair to make batches of");
            }
            for (bool more = true; more; ++epoch, position = 0) {
                more = serve_epoch(epoch, position);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            failure_ = std::current_exception();
        }
        changed_.notify_all();
    }

    // False when the stream is being destroyed. A position behind the last batch leaves the epoch out.
    bool serve_epoch(std::int64_t epoch, std::int64_t position) {
        const auto plan = plan_epoch(corpus_, options_, epoch);
        const auto count = static_cast<std::int64_t>(plan.size());
        for (; position < count; ++position) {
            Item item;
            item.batch = batch_of(plan[static_cast<std::size_t>(position)], epoch);
            item.epoch = epoch;
            item.position = position;
            item.batches_in_epoch = count;
            if (!hand_over(std::move(item))) {
                return false;
            }
        }
        return true;
    }

    Batch batch_of(const std::vector<std::int64_t>& indices, std::int64_t epoch) const {
        std::vector<Example> examples;
        examples.reserve(indices.size());
        for (const std::int64_t index : indices) {
            examples.push_back(corpus_.example(index, sampling_key(epoch, index)));
        }
        return make_batch(examples, special_);
    }

    std::uint64_t sampling_key(std::int64_t epoch, std::int64_t index) const {
        if (!sampling_) {
            return 0;
        }
        const std::uint64_t key = mix_key(
            {options_.seed, static_cast<std::uint64_t>(epoch), segmentation, static_cast<std::uint64_t>(index)});
        return std::max<std::uint64_t>(key, 1);  // 0 stands for no sampling
    }

    bool hand_over(Item item) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || ready_.size() < prefetch_; });
        if (stop_) {
            return false;
        }
        ready_.push_back(std::move(item));
        lock.unlock();
        changed_.notify_all();
        return true;
    }

    const Corpus& corpus_;
    const BatchPlanOptions options_;
    const SpecialIdPair special_;
    const bool sampling_;
    const std::size_t prefetch_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> ready_;
    std::exception_ptr failure_;
    bool stop_ = false;
    std::thread thread_;  // last: it uses all the others
};

BatchStream::BatchStream(const Corpus& corpus, const BatchPlanOptions& options, const SpecialIdPair& special,
                         bool sampling, std::int64_t epoch, std::int64_t position, std::int64_t prefetch)
    : impl_(std::make_unique<Impl>(corpus, options, special, sampling, epoch, position, prefetch)) {}

BatchStream::~BatchStream() = default;

BatchStream::Item BatchStream::next() {
    return impl_->next();
}

}  // namespace softalign
