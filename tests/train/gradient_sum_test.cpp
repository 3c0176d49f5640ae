#include "train/gradient_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "train/small_step.h"

namespace softalign {
namespace {

constexpr std::int64_t size = 40000;  // more than the slices of an update

// The gradient of a shard: numbers of very different magnitude, so that every order has a sum of its own.
at::Tensor gradient_of(std::int64_t shard) {
    at::Tensor gradient = at::empty({size});
    Random random(static_cast<std::uint64_t>(shard));
    for (std::int64_t i = 0; i < size; ++i) {
        gradient.data_ptr<float>()[i] =
            static_cast<float>(random.uniform() - 0.5) * static_cast<float>(1U << random.below(24));
    }
    return gradient;
}

// The definition: the tree over shards [begin, begin + count), count a power of two; undefined where all are absent.
at::Tensor tree(std::int64_t begin, std::int64_t count, const std::set<std::int64_t>& present) {
    if (count == 1) {
        return present.count(begin) > 0 ? gradient_of(begin) : at::Tensor();
    }
    const at::Tensor left = tree(begin, count / 2, present);
    const at::Tensor right = tree(begin + count / 2, count / 2, present);
    return left.defined() && right.defined() ? left + right : left.defined() ? left : right;
}

void add_shard(GradientSum& sum, std::int64_t shard, const std::set<std::int64_t>& present) {
    at::Tensor gradient;
    if (present.count(shard) > 0) {
        gradient = sum.take();
        EXPECT_EQ(gradient.count_nonzero().item<std::int64_t>(), 0) << "not a vector of zeros";
        gradient.copy_(gradient_of(shard));
    }
    sum.add(shard, std::move(gradient));
}

// What the caller does with the rest; leaves nothing but zeros behind.
at::Tensor finish(GradientSum& sum) {
    const GradientSum::Rest rest = sum.rest();
    for (const GradientSum::Addition& addition : rest.additions) {
        addition.into.add_(addition.from);
        addition.from.zero_();
        sum.give_back(addition.from);
    }
    const at::Tensor total = rest.total.clone();
    rest.total.zero_();
    sum.give_back(rest.total);
    return total;
}

std::vector<std::int64_t> numbers(std::int64_t count) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

TEST(GradientSum, IsThatOfTheTreeInWhateverOrderShardsAreDone) {
    Random random(1);
    for (const std::int64_t shards : {1, 2, 3, 5, 8, 16}) {
        for (const int workers : {1, 2, 3, 32}) {
            GradientSum sum(at::empty({size}), shards, workers);
            for (int time = 0; time < 4; ++time) {
                std::vector<std::int64_t> order = numbers(shards);
                for (std::size_t i = order.size(); i > 1; --i) {
                    std::swap(order[i - 1], order[random.below(i)]);
                }
                std::set<std::int64_t> present(order.begin(), order.end());
                for (int absent = 0; absent < time && present.size() > 1; ++absent) {
                    present.erase(order[random.below(order.size())]);
                }
                std::int64_t leaves = 1;
                while (leaves < shards) {
                    leaves *= 2;
                }
                sum.start();
                for (std::int64_t shard : order) {
                    add_shard(sum, shard, present);
                }
                EXPECT_TRUE(same_bytes(finish(sum), tree(0, leaves, present)))
                    << shards << " shards, " << workers << " workers, time " << time;
            }
        }
    }
}

TEST(GradientSum, IsTheSameFromManyThreads) {
    constexpr std::int64_t shards = 32;
    const std::vector<std::int64_t> all = numbers(shards);
    const std::set<std::int64_t> present(all.begin(), all.end());
    const at::Tensor expected = tree(0, shards, present);
    GradientSum sum(at::empty({size}), shards, 4);
    for (int time = 0; time < 5; ++time) {
        sum.start();
        std::vector<std::thread> threads;
        for (std::int64_t first = 0; first < 4; ++first) {
            threads.emplace_back([&, first] {
                for (std::int64_t shard = first; shard < shards; shard += 4) {
                    add_shard(sum, shard, present);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        EXPECT_TRUE(same_bytes(finish(sum), expected));
    }
}

TEST(GradientSum, NeedsVectorsForTheLevelsOfTheTreeAndNotForEachShard) {
    constexpr std::int64_t shards = 256;
    const std::vector<std::int64_t> all = numbers(shards);
    const std::set<std::int64_t> present(all.begin(), all.end());
    GradientSum sum(at::empty({size}), shards, 1);
    for (int time = 0; time < 2; ++time) {
        sum.start();
        for (const std::int64_t shard : all) {
            add_shard(sum, shard, present);
        }
        finish(sum);
        EXPECT_EQ(sum.vectors(), 13U);  // three wait at each of four levels, and one more makes four
    }
}

TEST(GradientSum, StartsAnewAfterAnUpdateThatFailed) {
    GradientSum sum(at::empty({size}), 4, 2);
    sum.start();
    add_shard(sum, 0, {0});
    add_shard(sum, 3, {3});
    sum.start();
    for (const std::int64_t shard : numbers(4)) {
        add_shard(sum, shard, {1, 2});
    }
    EXPECT_TRUE(same_bytes(finish(sum), gradient_of(1) + gradient_of(2)));
    EXPECT_EQ(sum.vectors(), 2U);
}

TEST(GradientSum, IsZeroWhereNoShardHasAGradient) {
    GradientSum sum(at::empty({size}), 4, 2);
    sum.start();
    for (const std::int64_t shard : numbers(4)) {
        add_shard(sum, shard, {});
    }
    EXPECT_EQ(finish(sum).count_nonzero().item<std::int64_t>(), 0);
}

}  // namespace
}  // namespace softalign
