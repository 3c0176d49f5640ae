#include "data/batch_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "data/fixtures.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

BatchPlanOptions options() {
    BatchPlanOptions options;
    options.batch_size = 16;
    options.sort_window = 4;
    return options;
}

TEST(BatchStream, ServesThePlanEpochAfterEpoch) {
    const RandomCorpus corpus(100, 1);
    BatchStream stream(corpus, options(), {}, false, 0, 0, 3);
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        const auto plan = plan_epoch(corpus, options(), epoch);
        for (std::size_t position = 0; position < plan.size(); ++position) {
            const BatchStream::Item item = stream.next();
            EXPECT_EQ(item.epoch, epoch);
            EXPECT_EQ(item.position, static_cast<std::int64_t>(position));
            EXPECT_EQ(item.batches_in_epoch, static_cast<std::int64_t>(plan.size()));
            EXPECT_EQ(item.batch.ids, plan[position]);
        }
    }
}

TEST(BatchStream, GoesOnFromAnyPosition) {
    const RandomCorpus corpus(100, 1);
    for (const bool sampling : {false, true}) {
        BatchStream whole(corpus, options(), {}, sampling, 0, 0, 2);
        std::vector<BatchStream::Item> items;
        for (int i = 0; i < 20; ++i) {
            items.push_back(whole.next());
        }
        for (const std::size_t from : {0U, 3U, 6U, 7U, 13U}) {
            BatchStream part(corpus, options(), {}, sampling, items[from].epoch, items[from].position, 5);
            for (std::size_t i = from; i < items.size(); ++i) {
                const BatchStream::Item item = part.next();
                EXPECT_EQ(item.epoch, items[i].epoch);
                EXPECT_EQ(item.position, items[i].position);
                EXPECT_EQ(item.batch.source, items[i].batch.source);
                EXPECT_EQ(item.batch.target_out, items[i].batch.target_out);
            }
        }
    }
}

TEST(BatchStream, StartsTheNextEpochBehindTheLastBatch) {
    const RandomCorpus corpus(100, 1);
    const auto batches = static_cast<std::int64_t>(plan_epoch(corpus, options(), 2).size());
    BatchStream stream(corpus, options(), {}, false, 2, batches, 1);
    const BatchStream::Item item = stream.next();
    EXPECT_EQ(item.epoch, 3);
    EXPECT_EQ(item.position, 0);
}

TEST(BatchStream, SamplesAnewForEachExampleAndEpoch) {
    const RandomCorpus corpus(1, 1);
    BatchStream stream(corpus, options(), {}, true, 0, 0, 2);
    std::set<std::int64_t> keys;
    for (int epoch = 0; epoch < 10; ++epoch) {
        keys.insert(stream.next().batch.source.front());
    }
    EXPECT_EQ(keys.size(), 10U);
}

// Counts what is asked of it; fails at one example.
class WatchedCorpus : public RandomCorpus {
public:
    WatchedCorpus(std::int64_t size, std::int64_t failing) : RandomCorpus(size, 1), failing_(failing) {}

    Example example(std::int64_t index, std::uint64_t key) const override {
        if (index == failing_) {
            throw Error(ExitCode::data, "a fault of the corpus");
        }
        ++asked;
        return RandomCorpus::example(index, key);
    }

    mutable std::atomic<std::int64_t> asked{0};

private:
    std::int64_t failing_;
};

TEST(BatchStream, RethrowsWhatFailsInTheBackground) {
    const WatchedCorpus corpus(100, 42);
    BatchStream stream(corpus, options(), {}, false, 0, 0, 2);
    const auto read_on = [&] {
        for (int i = 0; i < 20; ++i) {
            stream.next();
        }
    };
    EXPECT_EQ(error_of(ExitCode::data, read_on), "a fault of the corpus");
    EXPECT_EQ(error_of(ExitCode::data, read_on), "a fault of the corpus") << "and stays failed";
}

TEST(BatchStream, RefusesAnEmptyCorpus) {
    const RandomCorpus corpus(0, 1);
    BatchStream stream(corpus, options(), {}, false, 0, 0, 2);
    EXPECT_EQ(error_of(ExitCode::data, [&] { stream.next(); }), "there is no sentence pair to make batches of");
}

TEST(BatchStream, MakesNoMoreReadyThanAskedFor) {
    const WatchedCorpus corpus(1600, -1);
    BatchStream stream(corpus, options(), {}, false, 0, 0, 3);
    stream.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LE(corpus.asked, 16 * (1 + 3 + 1));  // handed out, ready, and one that waits for room
}

TEST(BatchStream, EndsCleanlyAtAnyMoment) {
    const RandomCorpus corpus(200, 1);
    for (int taken = 0; taken < 60; ++taken) {
        BatchStream stream(corpus, options(), {}, false, 0, 0, 1 + taken % 3);
        for (int i = 0; i < taken % 7; ++i) {
            stream.next();
        }
    }
}

}  // namespace
}  // namespace softalign
