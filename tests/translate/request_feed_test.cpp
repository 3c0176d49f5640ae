#include "translate/request_queue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "text/fixtures.h"

namespace softalign {
namespace {

using Lines = std::vector<std::string>;

RequestFiles text(const std::string& path) {
    return {path, "", ""};
}

Lines take_lines(RequestQueue& queue, std::size_t least, std::size_t most) {
    std::vector<TranslationRequest> requests;
    queue.take(least, most, requests);
    Lines lines;
    for (const TranslationRequest& request : requests) {
        lines.push_back(request.text);
    }
    return lines;
}

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

TEST(RequestFeed, ReadsAText) {
    const TemporaryFolder folder;
    RequestFeed feed(text(folder.write("text", "a\n\nc")));
    EXPECT_TRUE(feed.is_regular());
    RequestQueue& queue = feed.start(2);
    Lines all;
    for (Lines lines; !(lines = take_lines(queue, 1, 2)).empty();) {
        all.insert(all.end(), lines.begin(), lines.end());
    }
    EXPECT_EQ(all, Lines({"a", "", "c"}));
    EXPECT_NE(error_of(ExitCode::data, [&] { RequestFeed(text(folder.path("none"))); }).find("none"),
              std::string::npos);
}

TEST(RequestFeed, ALineOfAnOpenPipeIsThereBeforeTheNext) {
    const HeldPipe pipe;
    RequestFeed feed(text(pipe.path()));
    EXPECT_FALSE(feed.is_regular());
    RequestQueue& queue = feed.start(10);
    pipe.write("first\nhalf a ");
    EXPECT_EQ(take_lines(queue, 1, 10), Lines({"first"}));
    pipe.write("line\n");
    EXPECT_EQ(take_lines(queue, 1, 10), Lines({"half a line"}));
}

TEST(RequestFeed, EndsWhileItWaitsForAPipeOrForRoom) {
    const HeldPipe pipe;
    {
        RequestFeed waits_for_the_pipe(text(pipe.path()));
        waits_for_the_pipe.start(10);
    }
    pipe.write("a\nb\nc\n");
    RequestFeed waits_for_room(text(pipe.path()));
    EXPECT_EQ(take_lines(waits_for_room.start(1), 1, 1), Lines({"a"}));
}

TEST(RequestFeed, WhatIsAskedOfASentenceComesWithIt) {
    const TemporaryFolder folder;
    const HeldPipe pipe;
    RequestFeed feed({folder.write("text", "a\nb\n"), folder.write("prefixes", "x\n\n"), pipe.path()});
    EXPECT_FALSE(feed.is_regular());
    pipe.write("\none\ttwo\n");
    std::vector<TranslationRequest> requests;
    ASSERT_TRUE(feed.start(10).take(2, 10, requests));
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[0].prefix, "x");
    EXPECT_EQ(requests[0].phrases, Lines());
    EXPECT_EQ(requests[1].prefix, "");
    EXPECT_EQ(requests[1].phrases, Lines({"one", "two"}));
}

// The memory for them would be many times that of the line.
TEST(RequestFeed, PhrasesThatAreTooManyAreNotKept) {
    const TemporaryFolder folder;
    std::string phrases;
    for (int i = 0; i < 1000; ++i) {
        phrases += "a\t";
    }
    RequestFeed feed({folder.write("text", "a\n"), "", folder.write("phrases", phrases + "a\n")});
    std::vector<TranslationRequest> requests;
    ASSERT_TRUE(feed.start(10).take(1, 10, requests));
    EXPECT_EQ(requests.front().phrases, Lines(65, "a"));  // one too many, for the error
}

TEST(RequestFeed, AFaultOfTheTextComesBehindTheLinesBeforeIt) {
    const TemporaryFolder folder;
    RequestFeed feed(text(folder.write("text", "a\nb\n\xFF\nd\n")));
    RequestQueue& queue = feed.start(10);
    EXPECT_EQ(take_lines(queue, 10, 10), Lines({"a", "b"}));
    const std::string message = error_of(ExitCode::data, [&] { take_lines(queue, 1, 10); });
    EXPECT_NE(message.find("text:3:1: invalid UTF-8"), std::string::npos) << message;
}

}  // namespace
}  // namespace softalign
