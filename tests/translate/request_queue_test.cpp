#include "translate/request_queue.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace softalign {
namespace {

using Lines = std::vector<std::string>;

TranslationRequest request(const std::string& text) {
    return {text, "", {}};
}

Lines take(RequestQueue& queue, std::size_t least, std::size_t most) {
    std::vector<TranslationRequest> requests;
    const bool any = queue.take(least, most, requests);
    EXPECT_EQ(any, !requests.empty());
    Lines lines;
    for (const TranslationRequest& request : requests) {
        lines.push_back(request.text);
    }
    return lines;
}

TEST(RequestQueue, GivesWhatIsThereInOrder) {
    RequestQueue queue(10);
    for (const char* line : {"a", "", "c", "d"}) {
        EXPECT_TRUE(queue.push(request(line)));
    }
    EXPECT_EQ(take(queue, 1, 3), Lines({"a", "", "c"}));
    EXPECT_EQ(take(queue, 1, 3), Lines({"d"}));
    EXPECT_TRUE(queue.push(request("e")));
    EXPECT_EQ(take(queue, 1, 1), Lines({"e"}));
}

TEST(RequestQueue, AClosedQueueGivesTheRestAndEnds) {
    RequestQueue queue(10);
    queue.push(request("a"));
    queue.push(request("b"));
    queue.push(request("c"));
    queue.close();
    EXPECT_EQ(take(queue, 2, 2), Lines({"a", "b"}));
    EXPECT_EQ(take(queue, 2, 2), Lines({"c"}));
    EXPECT_EQ(take(queue, 2, 2), Lines());
    EXPECT_EQ(take(queue, 1, 2), Lines());
}

TEST(RequestQueue, AFailureComesInItsPlace) {
    RequestQueue queue(10);
    queue.push(request("a"));
    queue.close(std::make_exception_ptr(std::runtime_error("line 2")));
    EXPECT_EQ(take(queue, 5, 5), Lines({"a"}));
    std::vector<TranslationRequest> requests{request("of before")};
    EXPECT_THROW(queue.take(1, 5, requests), std::runtime_error);
    EXPECT_TRUE(requests.empty());
}

TEST(RequestQueue, AReaderAheadWaitsForRoom) {
    constexpr int count = 2000;
    RequestQueue queue(3);
    std::thread reader([&] {
        for (int i = 0; i < count; ++i) {
            queue.push(request(std::to_string(i)));
        }
        queue.close();
    });
    Lines all;
    for (Lines lines; !(lines = take(queue, 2, 3)).empty();) {
        EXPECT_LE(lines.size(), 3U);
        EXPECT_TRUE(lines.size() >= 2 || all.size() + lines.size() == count);
        all.insert(all.end(), lines.begin(), lines.end());
    }
    reader.join();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)], std::to_string(i));
    }
}

TEST(RequestQueue, WaitsForAFullChunk) {
    RequestQueue queue(4);
    queue.push(request("a"));
    std::thread reader([&] {
        for (const char* line : {"b", "c", "d", "e"}) {
            queue.push(request(line));
        }
    });
    EXPECT_EQ(take(queue, 4, 4), Lines({"a", "b", "c", "d"}));
    reader.join();
    EXPECT_EQ(take(queue, 1, 4), Lines({"e"}));
}

// A chunk of so many lines would never come together.
TEST(RequestQueue, AQueueFullOfTextIsTakenAsItIs) {
    constexpr std::size_t count = 100;
    const std::string line(10, 'x');
    RequestQueue queue(count, 25);
    std::thread reader([&] {
        for (std::size_t i = 0; i < count; ++i) {
            queue.push(i % 2 == 0 ? TranslationRequest{line, "", {}}
                                  : TranslationRequest{"", line.substr(5), {"xxxxx"}});
        }
        queue.close();
    });
    std::size_t all = 0;
    for (std::size_t taken = 1; taken > 0; all += taken) {
        taken = take(queue, count, count).size();
        EXPECT_LE(taken, 3U);
    }
    reader.join();
    EXPECT_EQ(all, count);
    RequestQueue small(count, 1);
    EXPECT_TRUE(small.push(request(line)));  // one line always has room
    EXPECT_EQ(take(small, 1, 1), Lines({line}));
}

TEST(RequestQueue, AReaderThatNobodyWantsIsLetGo) {
    RequestQueue queue(1);
    EXPECT_TRUE(queue.push(request("a")));
    bool taken = true;
    std::thread reader([&] { taken = queue.push(request("b")); });  // there is no room, now or when this comes to it
    queue.abandon();
    reader.join();
    EXPECT_FALSE(taken);
    EXPECT_FALSE(queue.push(request("c")));
}

}  // namespace
}  // namespace softalign
