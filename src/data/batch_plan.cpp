#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "data/batch_stream.h"

namespace softalign {

namespace {

using Indices = std::vector<std::int64_t>;
using Batches = std::vector<Indices>;

// Coordinates of the keys, so that no two shuffles share one.
constexpr std::uint64_t shuffle_examples = 1;
constexpr std::uint64_t shuffle_batches = 2;

std::vector<std::uint32_t> shuffled(std::size_t size, std::uint64_t key) {
    if (size > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ExitCode::data, "the corpus has more than 4294967295 sentence pairs");
    }
    return permutation(static_cast<std::uint32_t>(size), key);
}

Indices corpus_order(const Corpus& corpus, const BatchPlanOptions& options, std::uint64_t epoch) {
    const auto size = static_cast<std::size_t>(corpus.size());
    Indices order(size);
    if (options.shuffle) {
        const auto random = shuffled(size, mix_key({options.seed, epoch, shuffle_examples}));
        std::copy(random.begin(), random.end(), order.begin());
    } else {
        std::iota(order.begin(), order.end(), std::int64_t{0});
    }
    return order;
}

// The size of a growing batch in its unit: sentences, or padded target tokens.
class BatchSize {
public:
    explicit BatchSize(BatchUnit unit) : unit_(unit) {}

    void clear() { rows_ = width_ = 0; }

    std::int64_t add(std::int64_t target_length) {
        ++rows_;
        width_ = std::max(width_, target_length + 1);
        return unit_ == BatchUnit::tokens ? rows_ * width_ : rows_;
    }

private:
    BatchUnit unit_;
    std::int64_t rows_ = 0;
    std::int64_t width_ = 0;
};

// Where the window that begins at `begin` ends: after sort_window batches' worth of sentences or of target tokens.
std::size_t window_end(const Corpus& corpus, const BatchPlanOptions& options, const Indices& order, std::size_t begin) {
    const auto room = std::max<std::int64_t>(options.sort_window, 1) * std::max<std::int64_t>(options.batch_size, 1);
    std::int64_t used = 0;
    std::size_t end = begin;
    while (end < order.size() && used < room) {
        used += options.unit == BatchUnit::sentences ? 1 : corpus.target_length(order[end]) + 1;
        ++end;
    }
    return end;
}

Batches cut_window(const Corpus& corpus, const BatchPlanOptions& options, const Indices& window) {
    Batches batches;
    BatchSize size(options.unit);
    for (const std::int64_t index : window) {
        const std::int64_t length = corpus.target_length(index);
        if (size.add(length) > options.batch_size || batches.empty()) {
            batches.emplace_back();
            size.clear();
            size.add(length);
        }
        batches.back().push_back(index);
    }
    return batches;
}

}  // namespace

std::vector<std::vector<std::int64_t>> plan_epoch(const Corpus& corpus, const BatchPlanOptions& options,
                                                  std::int64_t epoch) {
    const auto epoch_key = static_cast<std::uint64_t>(epoch);
    const Indices order = corpus_order(corpus, options, epoch_key);
    Batches plan;
    std::uint64_t window_number = 0;
    for (std::size_t begin = 0; begin < order.size(); ++window_number) {
        const std::size_t end = window_end(corpus, options, order, begin);
        Indices window(order.begin() + static_cast<std::ptrdiff_t>(begin),
                       order.begin() + static_cast<std::ptrdiff_t>(end));
        std::stable_sort(window.begin(), window.end(), [&](std::int64_t a, std::int64_t b) {
            const std::int64_t target_a = corpus.target_length(a);
            const std::int64_t target_b = corpus.target_length(b);
            return target_a != target_b ? target_a < target_b : corpus.source_length(a) < corpus.source_length(b);
        });
        Batches batches = cut_window(corpus, options, window);
        if (options.shuffle) {
            const auto key = mix_key({options.seed, epoch_key, shuffle_batches, window_number});
            for (const std::uint32_t at : shuffled(batches.size(), key)) {
                plan.push_back(std::move(batches[at]));
            }
        } else {
            std::move(batches.begin(), batches.end(), std::back_inserter(plan));
        }
        begin = end;
    }
    return plan;
}

}  // namespace softalign
