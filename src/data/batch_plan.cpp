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
using Lengths = std::vector<std::int64_t>;  // of target sides, in pieces

// Coordinates of the keys, so that no two shuffles share one.
constexpr std::uint64_t shuffle_examples = 1;
constexpr std::uint64_t shuffle_batches = 2;
constexpr std::uint64_t shuffle_part = 4;  // 3 is that of sampled segmentations

std::vector<std::uint32_t> shuffled(std::size_t size, std::uint64_t key) {
    if (size > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ExitCode::data, "an epoch has more than 4294967295 sentence pairs");
    }
    return permutation(static_cast<std::uint32_t>(size), key);
}

// The places of an endless sequence of shuffles of a part that an epoch takes.
struct Places {
    std::uint64_t begin;
    std::uint64_t end;
};

Places places_of_epoch(std::uint64_t epoch, double weight, std::uint64_t pairs) {
    const auto begin = [&](std::uint64_t of) {
        return static_cast<std::uint64_t>(static_cast<double>(of) * weight * static_cast<double>(pairs));
    };
    return {begin(epoch), begin(epoch + 1)};
}

// The pairs that an epoch takes of each part, those of a part ascending.
Indices weighted_pairs(const Corpus& corpus, const BatchPlanOptions& options, std::uint64_t epoch) {
    Indices taken;
    std::int64_t first_pair = 0;
    for (std::size_t part = 0; part < options.weights.size(); ++part) {
        const std::int64_t end_of_part = corpus.report().ends.at(part);
        const auto pairs = static_cast<std::uint64_t>(end_of_part - first_pair);
        const Places places = places_of_epoch(epoch, options.weights[part], pairs);
        const std::size_t before = taken.size();
        for (std::uint64_t place = places.begin; place < places.end;) {
            const std::uint64_t round = place / pairs;
            const auto order = shuffled(pairs, mix_key({options.seed, round, shuffle_part, part}));
            for (; place < places.end && place / pairs == round; ++place) {
                taken.push_back(first_pair + order[place % pairs]);
            }
        }
        std::sort(taken.begin() + static_cast<std::ptrdiff_t>(before), taken.end());
        first_pair = end_of_part;
    }
    return taken;
}

Indices corpus_order(const Corpus& corpus, const BatchPlanOptions& options, std::uint64_t epoch) {
    Indices pairs;
    if (options.weights.empty()) {
        pairs.resize(static_cast<std::size_t>(corpus.size()));
        std::iota(pairs.begin(), pairs.end(), std::int64_t{0});
    } else {
        pairs = weighted_pairs(corpus, options, epoch);
    }
    if (!options.shuffle) {
        return pairs;
    }
    const auto random = shuffled(pairs.size(), mix_key({options.seed, epoch, shuffle_examples}));
    Indices order;
    std::transform(random.begin(), random.end(), std::back_inserter(order),
                   [&](std::uint32_t place) { return pairs[place]; });
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

// What batches have room for: the first `wide` of them for `room`, those that follow for one less.
struct Rooms {
    std::int64_t room;
    std::int64_t wide = std::numeric_limits<std::int64_t>::max();
};

// Where the batches begin when sentences of these lengths are cut in their order. A batch takes as many as it has room
// for, one at least.
std::vector<std::size_t> begins_of_batches(const Lengths& lengths, BatchUnit unit, const Rooms& rooms) {
    std::vector<std::size_t> begins;
    BatchSize size(unit);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const bool wide = static_cast<std::int64_t>(begins.size()) <= rooms.wide;
        if (size.add(lengths[i]) > (wide ? rooms.room : rooms.room - 1) || i == 0) {
            begins.push_back(i);
            size.clear();
            size.add(lengths[i]);
        }
    }
    return begins;
}

std::int64_t count_batches(const Lengths& lengths, BatchUnit unit, const Rooms& rooms) {
    return static_cast<std::int64_t>(begins_of_batches(lengths, unit, rooms).size());
}

// The least of begin ... end for which `holds`, which holds from there on; `end` where it holds nowhere before.
template <typename Holds>
std::int64_t first_that(std::int64_t begin, std::int64_t end, Holds holds) {
    while (begin < end) {
        const std::int64_t middle = begin + (end - begin) / 2;
        if (holds(middle)) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return begin;
}

// How many sentences from `begin` on make a window: as many as fill sort_window batches, once they are sorted.
std::size_t window_size(const Corpus& corpus, const BatchPlanOptions& options, const Indices& order,
                        std::size_t begin) {
    const std::int64_t window = std::max<std::int64_t>(options.sort_window, 1);
    const std::int64_t room = std::max<std::int64_t>(options.batch_size, 1);
    // Where so many batches are full without any padding, with it they are.
    const std::int64_t most = room > std::numeric_limits<std::int64_t>::max() / window
                                  ? std::numeric_limits<std::int64_t>::max()
                                  : room * window;
    Lengths lengths;
    for (std::int64_t used = 0; begin + lengths.size() < order.size() && used < most;) {
        lengths.push_back(corpus.target_length(order[begin + lengths.size()]));
        used += options.unit == BatchUnit::sentences ? 1 : std::min(lengths.back() + 1, room);
    }
    const auto too_many = [&](std::int64_t count) {
        Lengths some(lengths.begin(), lengths.begin() + count);
        std::sort(some.begin(), some.end());
        return count_batches(some, options.unit, {room}) > window;
    };
    const auto all = static_cast<std::int64_t>(lengths.size());
    return static_cast<std::size_t>(too_many(all) ? first_that(1, all, too_many) - 1 : all);
}

// Sorted sentences as the fewest batches that hold them, all of about the same size: at the end of an epoch too there
// is no batch of a few sentences, which would be the longest ones.
Batches cut_evenly(const Corpus& corpus, const BatchPlanOptions& options, const Indices& window) {
    Lengths lengths;
    std::transform(window.begin(), window.end(), std::back_inserter(lengths),
                   [&](std::int64_t index) { return corpus.target_length(index); });
    const std::int64_t room = std::max<std::int64_t>(options.batch_size, 1);
    const std::int64_t fewest = count_batches(lengths, options.unit, {room});
    const auto suffices = [&](const Rooms& rooms) { return count_batches(lengths, options.unit, rooms) == fewest; };
    const std::int64_t even = first_that(1, room, [&](std::int64_t less) { return suffices({less}); });
    const std::int64_t wide = first_that(0, fewest, [&](std::int64_t some) { return suffices({even, some}); });
    const std::vector<std::size_t> begins = begins_of_batches(lengths, options.unit, {even, wide});
    Batches batches;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : window.size();
        batches.emplace_back(window.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                             window.begin() + static_cast<std::ptrdiff_t>(end));
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
        const std::size_t end = begin + window_size(corpus, options, order, begin);
        Indices window(order.begin() + static_cast<std::ptrdiff_t>(begin),
                       order.begin() + static_cast<std::ptrdiff_t>(end));
        std::stable_sort(window.begin(), window.end(), [&](std::int64_t a, std::int64_t b) {
            const std::int64_t target_a = corpus.target_length(a);
            const std::int64_t target_b = corpus.target_length(b);
            return target_a != target_b ? target_a < target_b : corpus.source_length(a) < corpus.source_length(b);
        });
        Batches batches = cut_evenly(corpus, options, window);
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
