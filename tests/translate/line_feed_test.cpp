#include "translate/line_feed.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "text/fixtures.h"

namespace softalign {
namespace {

using Lines = std::vector<std::string>;

// A pipe that this process holds both ends of, so that it stays open.
class HeldPipe {
public:
    HeldPipe() { EXPECT_EQ(::pipe(ends_), 0); }
    ~HeldPipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    HeldPipe(const HeldPipe&) = delete;
    HeldPipe& operator=(const HeldPipe&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }

    void write(const std::string& text) const {
        EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }

private:
    int ends_[2];
};

TEST(LineFeed, ReadsAText) {
    const TemporaryFolder folder;
    LineFeed feed(folder.write("text", "a\n\nc"));
    EXPECT_TRUE(feed.is_regular_file());
    LineQueue& queue = feed.start(2);
    Lines all;
    for (Lines lines; queue.take(1, 2, lines);) {
        all.insert(all.end(), lines.begin(), lines.end());
    }
    EXPECT_EQ(all, Lines({"a", "", "c"}));
    EXPECT_NE(error_of(ExitCode::data, [&] { LineFeed(folder.path("none")); }).find("none"), std::string::npos);
}

TEST(LineFeed, ALineOfAnOpenPipeIsThereBeforeTheNext) {
    const HeldPipe pipe;
    LineFeed feed(pipe.path());
    EXPECT_FALSE(feed.is_regular_file());
    LineQueue& queue = feed.start(10);
    Lines lines;
    pipe.write("first\nhalf a ");
    ASSERT_TRUE(queue.take(1, 10, lines));
    EXPECT_EQ(lines, Lines({"first"}));
    pipe.write("line\n");
    ASSERT_TRUE(queue.take(1, 10, lines));
    EXPECT_EQ(lines, Lines({"half a line"}));
}

TEST(LineFeed, EndsWhileItWaitsForAPipeOrForRoom) {
    const HeldPipe pipe;
    {
        LineFeed waits_for_the_pipe(pipe.path());
        waits_for_the_pipe.start(10);
    }
    pipe.write("a\nb\nc\n");
    LineFeed waits_for_room(pipe.path());
    Lines lines;
    ASSERT_TRUE(waits_for_room.start(1).take(1, 1, lines));
    EXPECT_EQ(lines, Lines({"a"}));
}

TEST(LineFeed, AFaultOfTheTextComesBehindTheLinesBeforeIt) {
    const TemporaryFolder folder;
    LineFeed feed(folder.write("text", "a\nb\n\xFF\nd\n"));
    LineQueue& queue = feed.start(10);
    Lines lines;
    ASSERT_TRUE(queue.take(10, 10, lines));
    EXPECT_EQ(lines, Lines({"a", "b"}));
    const std::string message = error_of(ExitCode::data, [&] { queue.take(1, 10, lines); });
    EXPECT_NE(message.find("text:3:1: invalid UTF-8"), std::string::npos) << message;
}

}  // namespace
}  // namespace softalign
