#include "translate/stream.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "text/fixtures.h"

namespace softalign {
namespace {

using Counts = std::vector<std::size_t>;

class TextChunk : public testing::Test {
protected:
    // The pairs of each chunk of ten pairs of four bytes and six.
    Counts pairs_of_chunks(std::size_t most, std::size_t bytes) const {
        ParallelLines lines(sources_, folder_.write("targets", repeated("target\n")));
        Counts counts;
        std::vector<SentencePair> pairs;
        for (bool more = true; more;) {
            more = next_pairs(lines, most, pairs, bytes);
            counts.push_back(pairs.size());
        }
        return counts;
    }

    // The sentences of each chunk of ten, with two entries of ten bytes each: with the source, that is 28.
    Counts blocks_of_chunks(std::size_t most, std::size_t bytes) const {
        std::string list;
        for (int i = 0; i < 10; ++i) {
            list +=
                std::to_string(i) + " ||| target ||| F= 1 ||| 1\n" + std::to_string(i) + " ||| second ||| F= 2 ||| 0\n";
        }
        NBestReader reader(folder_.write("list", list), sources_, false);
        Counts counts;
        for (std::vector<NBestBlock> blocks; next_blocks(reader, most, blocks, bytes);) {
            counts.push_back(blocks.size());
        }
        return counts;
    }

    static std::string repeated(const std::string& line) {
        std::string text;
        for (int i = 0; i < 10; ++i) {
            text += line;
        }
        return text;
    }

    TemporaryFolder folder_;
    const std::string sources_ = folder_.write("sources", repeated("text\n"));
};

TEST_F(TextChunk, HasSoManyPairsOrSoMuchText) {
    EXPECT_EQ(pairs_of_chunks(4, 1000), Counts({4, 4, 2}));
    EXPECT_EQ(pairs_of_chunks(100, 1000), Counts({10}));
    EXPECT_EQ(pairs_of_chunks(100, 30), Counts({3, 3, 3, 1}));
    EXPECT_EQ(pairs_of_chunks(100, 31), Counts({4, 4, 2}));
    EXPECT_EQ(pairs_of_chunks(2, 31), Counts({2, 2, 2, 2, 2, 0}));
    EXPECT_EQ(pairs_of_chunks(100, 1), Counts({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));  // a pair always fits
}

TEST_F(TextChunk, HasSoManyEntriesOrSoMuchText) {
    EXPECT_EQ(blocks_of_chunks(1000, 1000), Counts({10}));
    EXPECT_EQ(blocks_of_chunks(6, 1000), Counts({3, 3, 3, 1}));
    EXPECT_EQ(blocks_of_chunks(5, 1000), Counts({3, 3, 3, 1}));
    EXPECT_EQ(blocks_of_chunks(1000, 84), Counts({3, 3, 3, 1}));
    EXPECT_EQ(blocks_of_chunks(1000, 85), Counts({4, 4, 2}));
    EXPECT_EQ(blocks_of_chunks(1000, 1), Counts({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace softalign
