#include "base/written_bytes.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/temporary.h"

namespace softalign {
namespace {

std::string random_bytes(std::size_t size) {
    Random random(3);
    std::string bytes;
    while (bytes.size() < size) {
        bytes += static_cast<char>(random.below(256));
    }
    return bytes;
}

TEST(WrittenBytes, AreReadAsTheyWereWritten) {
    const TemporaryDirectory directory("written");
    const std::string bytes = random_bytes(3'000'001);
    for (const std::string& place : {std::string(), directory.path()}) {
        WrittenBytes written(place);
        Random random(4);
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t size = std::min<std::size_t>(random.below(400'000), bytes.size() - at);
            written.append(bytes.data() + at, size);
            at += size;
        }
        written.finish();
        ASSERT_EQ(written.size(), bytes.size());
        EXPECT_EQ(std::memcmp(written.data(), bytes.data(), bytes.size()), 0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(written.data()) % 16, 0U);
    }
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(WrittenBytes, MayBeNone) {
    const TemporaryDirectory directory("written");
    for (const std::string& place : {std::string(), directory.path()}) {
        WrittenBytes written(place);
        written.finish();
        EXPECT_EQ(written.size(), 0U);
    }
}

TEST(WrittenBytes, RangesBeginWhereTheItemBeforeEnds) {
    WrittenBytes ends;
    for (const std::uint64_t end : {3U, 3U, 10U}) {
        ends.append(&end, sizeof end);
    }
    ends.finish();
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    EXPECT_EQ(range_of(ends, 0), Range(0, 3));
    EXPECT_EQ(range_of(ends, 1), Range(3, 3));
    EXPECT_EQ(range_of(ends, 2), Range(3, 10));
}

std::string refusal(const std::string& directory, std::size_t size) {
    try {
        WrittenBytes written(directory);
        written.append(std::string(size, 'x').data(), size);
        written.finish();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        return error.what();
    }
    return "";
}

TEST(WrittenBytes, SayWhatIsWrongWithTheDirectory) {
    const std::string message = refusal("/nowhere/at/all", 1);
    EXPECT_NE(message.find("/nowhere/at/all: "), std::string::npos) << message;
    EXPECT_NE(message.find("data.on_disk: false"), std::string::npos) << message;
}

TEST(WrittenBytes, SayThatThereIsNoRoom) {
    const TemporaryDirectory directory("written");
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{20000, room.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string message = refusal(directory.path(), 30000);
    ::setrlimit(RLIMIT_FSIZE, &room);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(message.find("free space"), std::string::npos) << message;
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace softalign
