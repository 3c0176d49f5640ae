#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <string>

namespace softalign {
namespace {

TEST(Error, CarriesItsCodeAndMessage) {
    try {
        throw Error(ExitCode::data, "corpus.en:3: not UTF-8");
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "corpus.en:3: not UTF-8");
        EXPECT_EQ(dynamic_cast<const Error&>(error).code(), ExitCode::data);
    }
}

TEST(Error, AMessageIsNotCutAtANul) {
    const std::string nul(1, '\0');
    EXPECT_STREQ(Error(ExitCode::data, "word a" + nul + nul + "b is unknown" + nul).what(),
                 "word a\\x00\\x00b is unknown\\x00");
}

TEST(Error, ExitCodesAreThoseScriptsRelyOn) {
    EXPECT_EQ(static_cast<int>(ExitCode::success), 0);
    EXPECT_EQ(static_cast<int>(ExitCode::internal), 1);
    EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
    EXPECT_EQ(static_cast<int>(ExitCode::configuration), 3);
    EXPECT_EQ(static_cast<int>(ExitCode::data), 4);
    EXPECT_EQ(static_cast<int>(ExitCode::model), 5);
    EXPECT_EQ(static_cast<int>(ExitCode::output), 6);
    EXPECT_EQ(static_cast<int>(ExitCode::numerical), 7);
    EXPECT_EQ(static_cast<int>(ExitCode::interrupted), 75);
}

TEST(Error, NamesSystemErrors) {
    EXPECT_EQ(errno_text(ENOENT), "No such file or directory");
}

}  // namespace
}  // namespace softalign
