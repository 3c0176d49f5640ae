#include "distributed/meeting_place.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace softalign {
namespace {

TEST(MeetingPlace, IsAHostAndAPort) {
    EXPECT_EQ(tcp_place("tcp://hosta:29501").host, "hosta");
    EXPECT_EQ(tcp_place("tcp://[::1]:1").host, "::1");
    EXPECT_EQ(tcp_place("tcp://[::1]:65535").port, "65535");
    for (const std::string text : {"tcp://", "tcp://hosta", "tcp://:1", "tcp://hosta:0", "tcp://hosta:65536",
                                   "tcp://hosta:1a", "tcp://hosta:"}) {
        EXPECT_THROW(tcp_place(text), Error) << text;
    }
}

TEST(MeetingPlace, IsDoubtedWhereRankZeroDoesNotLive) {
    // 192.0.2.0/24 is nobody's (RFC 5737), and .invalid no name (RFC 6761).
    const std::string elsewhere = doubt_about({"192.0.2.7", "29501"}, true);
    EXPECT_NE(elsewhere.find("192.0.2.7, where rank 0 is to listen, is not an address of this machine"),
              std::string::npos)
        << elsewhere;
    EXPECT_EQ(doubt_about({"192.0.2.7", "29501"}, false), "");
    EXPECT_EQ(doubt_about({"127.0.0.1", "29501"}, true), "");
    for (const bool serves : {false, true}) {
        const std::string unknown = doubt_about({"host.invalid", "29501"}, serves);
        EXPECT_NE(unknown.find("host.invalid, where the processes meet, is unknown here"), std::string::npos)
            << unknown;
    }
}

}  // namespace
}  // namespace softalign
