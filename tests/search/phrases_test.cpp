#include "search/phrases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "search/scoring.h"

namespace softalign {
namespace {

using Tokens = std::vector<std::int32_t>;

PhraseProgress after(const Phrases& phrases, const Tokens& tokens) {
    PhraseProgress progress;
    for (const std::int32_t token : tokens) {
        progress = phrases.advance(progress, token);
    }
    return progress;
}

std::int64_t met(const std::vector<Tokens>& phrases, const Tokens& tokens) {
    const Phrases all(phrases);
    return all.met(after(all, tokens));
}

TEST(Phrases, CountTheTokensThatAreThere) {
    EXPECT_EQ(met({{1, 2, 3}}, {}), 0);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1}), 1);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1, 2}), 2);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1, 2, 9}), 0);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1, 2, 3, 9, 9}), 3);
    EXPECT_EQ(met({{1, 2}, {3}}, {3, 5, 1, 2}), 3);
}

TEST(Phrases, OneIsFoundBehindItsOwnBeginning) {
    EXPECT_EQ(met({{1, 1, 2}}, {1, 1, 1, 2}), 3);
    EXPECT_EQ(met({{1, 2, 1, 3}}, {1, 2, 1, 2, 1, 3}), 4);
    EXPECT_EQ(met({{1, 2, 4}, {2, 3}}, {1, 2, 3}), 2);
}

TEST(Phrases, AlikeBeginningsStayOpen) {
    EXPECT_EQ(met({{1, 2}, {1, 3}}, {1, 3}), 2);
    EXPECT_EQ(met({{1, 2}, {1, 3}}, {1, 3, 1, 2}), 4);
}

TEST(Phrases, TheSameTwiceMustOccurTwice) {
    EXPECT_EQ(met({{4}, {4}}, {4}), 1);
    EXPECT_EQ(met({{4}, {4}}, {4, 5, 4}), 2);
}

TEST(Phrases, WantedTokensBringThemOn) {
    const Phrases phrases({{1, 2}, {1, 3}, {4}});
    EXPECT_EQ(phrases.wanted({}), (Tokens{1, 4}));
    EXPECT_EQ(phrases.wanted(after(phrases, {1})), (Tokens{2, 3}));
    EXPECT_EQ(phrases.wanted(after(phrases, {1, 2})), (Tokens{1, 4}));
    EXPECT_EQ(phrases.wanted(after(phrases, {1, 2, 4, 1, 3})), Tokens());
    EXPECT_TRUE(phrases.complete(after(phrases, {1, 2, 4, 1, 3})));
    EXPECT_FALSE(phrases.complete(after(phrases, {1, 2, 4, 1})));
    EXPECT_TRUE(Phrases({}).complete({}));
}

TEST(ShareBeam, GivesEachNumberItsPart) {
    using Counts = std::vector<std::int64_t>;
    EXPECT_EQ(share_beam(6, {9, 9, 9}), (Counts{2, 2, 2}));
    EXPECT_EQ(share_beam(7, {9, 9, 9}), (Counts{2, 2, 3}));
    EXPECT_EQ(share_beam(6, {9, 9, 0}), (Counts{2, 4, 0}));
    EXPECT_EQ(share_beam(6, {9, 1, 1}), (Counts{4, 1, 1}));
    EXPECT_EQ(share_beam(1, {9, 9, 0}), (Counts{0, 1, 0}));
    EXPECT_EQ(share_beam(5, {1, 1, 1}), (Counts{1, 1, 1}));
}

TEST(Scoring, FollowsWuEtAl) {
    ScoringOptions options;
    options.length_norm = LengthNorm::wu;
    options.length_alpha = 0.6;
    EXPECT_DOUBLE_EQ(length_norm(options, 7), std::pow(12.0 / 6.0, 0.6));
    options.length_norm = LengthNorm::power;
    EXPECT_DOUBLE_EQ(length_norm(options, 7), std::pow(7.0, 0.6));
    EXPECT_DOUBLE_EQ(coverage_of({0.5, 2.0, 1.0}), std::log(0.5));
    EXPECT_DOUBLE_EQ(coverage_of({0.0}), std::log(1e-6));
    options.coverage_penalty = 0.2;
    options.word_penalty = 0.3;
    EXPECT_DOUBLE_EQ(score_of(options, -4.0, 7, -1.5), -4.0 / std::pow(7.0, 0.6) - 0.3 - 2.1);
}

TEST(Scoring, NothingPassesItsBound) {
    for (const LengthNorm norm : {LengthNorm::power, LengthNorm::wu}) {
        for (const double alpha : {0.0, 0.5, 1.0, 2.0}) {
            for (const double penalty : {-1.0, 0.0, 0.7}) {
                const ScoringOptions options{norm, alpha, 0.4, penalty};
                for (std::int64_t length = 4; length <= 9; ++length) {
                    for (const double coverage : {0.0, -2.0}) {
                        EXPECT_LE(score_of(options, -3.0, length, coverage), score_bound(options, -2.5, 4, 9));
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace softalign
