#include "report/sentences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace softalign {
namespace {

using Places = std::vector<std::size_t>;

TEST(ChooseSentences, WorstBestAndTheRest) {
    const ChosenSentences chosen = choose_sentences({{50, 10, 90, 30, 70, 20}}, {5, 5, 5, 5, 5, 5}, 2, 1);
    EXPECT_EQ(chosen.worst, (Places{1, 5}));
    EXPECT_EQ(chosen.best, (Places{2, 4}));
    EXPECT_EQ(chosen.random, (Places{0, 3}));
    EXPECT_TRUE(chosen.differ.empty());
}

TEST(ChooseSentences, OfEqualScoresTheLongestThenTheFirst) {
    const ChosenSentences chosen = choose_sentences({{100, 100, 100, 100}}, {3, 9, 5, 9}, 1, 1);
    EXPECT_EQ(chosen.worst, (Places{1}));
    EXPECT_EQ(chosen.best, (Places{3}));
}

TEST(ChooseSentences, SeveralRunsByMeanAndByDistance) {
    const ChosenSentences chosen = choose_sentences({{0, 40, 10, 80}, {100, 40, 20, 90}}, {5, 5, 5, 5}, 1, 1);
    EXPECT_EQ(chosen.differ, (Places{0}));
    EXPECT_EQ(chosen.worst, (Places{2}));
    EXPECT_EQ(chosen.best, (Places{3}));
    EXPECT_EQ(chosen.random, (Places{1}));
}

TEST(ChooseSentences, NoSentenceTwiceWhereThereAreFew) {
    const ChosenSentences chosen = choose_sentences({{1, 2, 3}}, {5, 5, 5}, 10, 1);
    std::multiset<std::size_t> all(chosen.worst.begin(), chosen.worst.end());
    all.insert(chosen.best.begin(), chosen.best.end());
    all.insert(chosen.random.begin(), chosen.random.end());
    EXPECT_EQ(all, (std::multiset<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(choose_sentences({{}}, {}, 10, 1).worst.empty());
}

TEST(ChooseSentences, RandomOnesDependOnTheSeed) {
    const std::vector<double> scores(1000, 1.0);
    const std::vector<std::int64_t> lengths(1000, 5);
    const ChosenSentences one = choose_sentences({scores}, lengths, 10, 1);
    EXPECT_EQ(one.random, choose_sentences({scores}, lengths, 10, 1).random);
    EXPECT_NE(one.random, choose_sentences({scores}, lengths, 10, 2).random);
    EXPECT_TRUE(std::is_sorted(one.random.begin(), one.random.end()));
}

}  // namespace
}  // namespace softalign
