#include "serve/origin.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/has.h"
#include "serve/run_server.h"

namespace softalign {
namespace {

TEST(OriginTest, IsWhatBrowsersSend) {
    for (const std::string origin :
         {"https://a.example", "http://localhost:8080", "http://[::1]:80", "moz-extension://0a-1b"}) {
        EXPECT_TRUE(is_origin(origin)) << origin;
    }
    for (const std::string other : {"", "null", "a.example", "https://", "://a", "https://a.example/", "https://a b",
                                    "https://a.example\nX: y", "https://A.example", "https://a, https://b"}) {
        EXPECT_FALSE(is_origin(other)) << other;
    }
}

TEST(OriginTest, OneThatNoBrowserSendsIsAnError) {
    for (const std::string other : {"https://a.example/", "https://a.example https://b.example", "null"}) {
        try {
            ServerOptions options;
            options.service.cors = other;
            run_server(options);
            ADD_FAILURE() << other;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_TRUE(has(error.what(), "--cors \"" + other)) << error.what();
        }
    }
}

}  // namespace
}  // namespace softalign
