#include "base/strings.h"

#include <gtest/gtest.h>

namespace softalign {
namespace {

TEST(ShellWord, QuotesOnlyWhatNeedsIt) {
    EXPECT_EQ(shell_word("runs/multi30k_en-de.2"), "runs/multi30k_en-de.2");
    EXPECT_EQ(shell_word("my runs/demo"), "'my runs/demo'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
    EXPECT_EQ(shell_word("~x"), "'~x'");
    EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace softalign
