#include "translate/line_queue.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace softalign {
namespace {

using Lines = std::vector<std::string>;

Lines take(LineQueue& queue, std::size_t least, std::size_t most) {
    Lines lines;
    const bool any = queue.take(least, most, lines);
    EXPECT_EQ(any, !lines.empty());
    return lines;
}

TEST(LineQueue, GivesWhatIsThereInOrder) {
    LineQueue queue(10);
    for (const char* line : {"a", "", "c", "d"}) {
        EXPECT_TRUE(queue.push(line));
    }
    EXPECT_EQ(take(queue, 1, 3), Lines({"a", "", "c"}));
    EXPECT_EQ(take(queue, 1, 3), Lines({"d"}));
    EXPECT_TRUE(queue.push("e"));
    EXPECT_EQ(take(queue, 1, 1), Lines({"e"}));
}

TEST(LineQueue, AClosedQueueGivesTheRestAndEnds) {
    LineQueue queue(10);
    queue.push("a");
    queue.push("b");
    queue.push("c");
    queue.close();
    EXPECT_EQ(take(queue, 2, 2), Lines({"a", "b"}));
    EXPECT_EQ(take(queue, 2, 2), Lines({"c"}));
    EXPECT_EQ(take(queue, 2, 2), Lines());
    EXPECT_EQ(take(queue, 1, 2), Lines());
}

TEST(LineQueue, AFailureComesInItsPlace) {
    LineQueue queue(10);
    queue.push("a");
    queue.close(std::make_exception_ptr(std::runtime_error("line 2")));
    EXPECT_EQ(take(queue, 5, 5), Lines({"a"}));
    Lines lines{"of before"};
    EXPECT_THROW(queue.take(1, 5, lines), std::runtime_error);
    EXPECT_TRUE(lines.empty());
}

TEST(LineQueue, AReaderAheadWaitsForRoom) {
    constexpr int count = 2000;
    LineQueue queue(3);
    std::thread reader([&] {
        for (int i = 0; i < count; ++i) {
            queue.push(std::to_string(i));
        }
        queue.close();
    });
    Lines all;
    for (Lines lines; queue.take(2, 3, lines);) {
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

TEST(LineQueue, WaitsForAFullChunk) {
    LineQueue queue(4);
    queue.push("a");
    std::thread reader([&] {
        for (const char* line : {"b", "c", "d", "e"}) {
            queue.push(line);
        }
    });
    EXPECT_EQ(take(queue, 4, 4), Lines({"a", "b", "c", "d"}));
    reader.join();
    EXPECT_EQ(take(queue, 1, 4), Lines({"e"}));
}

TEST(LineQueue, AReaderThatNobodyWantsIsLetGo) {
    LineQueue queue(1);
    EXPECT_TRUE(queue.push("a"));
    bool taken = true;
    std::thread reader([&] { taken = queue.push("b"); });  // there is no room, now or when this comes to it
    queue.abandon();
    reader.join();
    EXPECT_FALSE(taken);
    EXPECT_FALSE(queue.push("c"));
}

}  // namespace
}  // namespace softalign
