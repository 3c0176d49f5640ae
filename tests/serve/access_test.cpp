#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/has.h"
#include "serve/access.h"
#include "text/fixtures.h"
#include "text/line_reader.h"

namespace softalign {
namespace {

TEST(AccessTest, KeysAreTheFirstWordsOfLines) {
    const TemporaryFolder folder;
    const std::string file = folder.write("keys", "  one first\n# two\n\nthree\n");
    Access access(file, 0);
    EXPECT_TRUE(access.needs_key());
    EXPECT_TRUE(access.knows("one") && access.knows("three"));
    for (const std::string key : {"", "two", "on", "onee", "first", "#", "oneone"}) {
        EXPECT_FALSE(access.knows(key)) << key;
    }
    folder.write("keys", "# none\n");
    EXPECT_THROW(access.reload(), Error);
    EXPECT_TRUE(access.knows("one"));  // as before
    folder.write("keys", "new\n");
    access.reload();
    EXPECT_TRUE(access.knows("new") && !access.knows("one"));
    EXPECT_TRUE(Access(folder.write("marked", std::string(byte_order_mark) + "one\ntwo\n"), 0).knows("one"));
    EXPECT_THROW(Access(folder.path("absent"), 0), Error);
    EXPECT_FALSE(Access("", 0).needs_key());
}

TEST(AccessTest, EachMayAskSoOften) {
    Access access("", 3);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(access.count("a").has_value());
    }
    const auto wait = access.count("a");
    ASSERT_TRUE(wait.has_value());
    EXPECT_GE(*wait, 1U);
    EXPECT_LE(*wait, 20U);
    EXPECT_FALSE(access.count("b").has_value());
    Access any("", 0);
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(any.count("a").has_value());
    }
}

}  // namespace
}  // namespace softalign
