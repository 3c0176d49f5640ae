#include "data/parallel_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/fixtures.h"

namespace softalign {
namespace {

class ParallelLinesTest : public testing::Test {
protected:
    // All pairs as "source|target".
    std::vector<std::string> read(const std::string& source, const std::string& target) const {
        ParallelLines lines(folder_.write("source", source), folder_.write("target", target));
        std::vector<std::string> pairs;
        std::string a;
        std::string b;
        while (lines.next(a, b)) {
            pairs.push_back(a + "|" + b);
        }
        return pairs;
    }

    TemporaryFolder folder_;
};

TEST_F(ParallelLinesTest, PairsTheLines) {
    EXPECT_EQ(read("a\n\nc", gzip("x\r\ny\r\nz\r\n")), (std::vector<std::string>{"a|x", "|y", "c|z"}));
    EXPECT_TRUE(read("", "").empty());
}

TEST_F(ParallelLinesTest, SaysHowManyLinesEachSideHas) {
    const std::string source = folder_.path("source");
    const std::string target = folder_.path("target");
    EXPECT_EQ(error_of(ExitCode::data, [&] { read("a\nb\nc\n", "x\n"); }),
              "the two sides do not have the same number of lines: " + source + " has 3 lines, " + target +
                  " has 1 line; line n of one must be the translation of line n of the other");
    EXPECT_NE(error_of(ExitCode::data, [&] { read("", "x\ny\n"); }).find("source has 0 lines, "), std::string::npos);
}

TEST_F(ParallelLinesTest, NamesWhatCannotBeRead) {
    EXPECT_NE(error_of(ExitCode::data, [&] { read("a\nb\n", "x\n\xFF\n"); })
                  .find(folder_.path("target") + ":2:1: invalid UTF-8"),
              std::string::npos);
    const std::string missing = folder_.path("missing");
    EXPECT_NE(
        error_of(ExitCode::data, [&] { ParallelLines lines(folder_.write("here", "a\n"), missing); }).find(missing),
        std::string::npos);
}

}  // namespace
}  // namespace softalign
