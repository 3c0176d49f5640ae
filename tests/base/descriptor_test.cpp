#include "base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <thread>

#include "base/full_pipe.h"

namespace softalign {
namespace {

TEST(Descriptor, WritesWaitForANonBlockingPipe) {
    FullPipe pipe;
    const std::string text(300000, 'x');
    std::string read;
    std::thread reader([&] { read = pipe.read_behind(text.size()); });
    EXPECT_TRUE(write_all(pipe.to_write(), text.data(), text.size()));
    reader.join();
    EXPECT_EQ(read, text);
}

TEST(Descriptor, ReadsWaitForANonBlockingPipe) {
    NonBlockingPipe pipe;
    std::thread writer([&] { EXPECT_TRUE(write_all(pipe.to_write(), "text", 4)); });
    char text[4] = {};
    const ssize_t count = read_some(pipe.to_read(), text, sizeof text);
    writer.join();
    ASSERT_GT(count, 0);
    EXPECT_EQ(std::string(text, static_cast<std::size_t>(count)), std::string("text", static_cast<std::size_t>(count)));
}

TEST(Descriptor, OtherFaultsAreTold) {
    char byte = 0;
    EXPECT_EQ(read_some(-1, &byte, 1), -1);
    EXPECT_EQ(errno, EBADF);
    EXPECT_EQ(write_some(-1, &byte, 1), -1);
    EXPECT_EQ(errno, EBADF);
    EXPECT_FALSE(write_all(-1, &byte, 1));
    EXPECT_TRUE(write_all(-1, &byte, 0));
}

}  // namespace
}  // namespace softalign
