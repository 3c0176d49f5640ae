#include "translate/format.h"

#include <gtest/gtest.h>

#include "number_tokenizer.h"

namespace softalign {
namespace {

Translation sample() {
    Translation translation;
    translation.text = "7 9 8";
    translation.score = -0.5;
    translation.log_prob = -2.0;
    translation.source_ids = {5, 6, 3};
    translation.ids = {7, 9, 8};
    translation.attention = {{0.1F, 0.7F, 0.2F}, {0.1F, 0.1F, 0.8F}, {0.45F, 0.45F, 0.1F}, {0.0F, 0.0F, 1.0F}};
    return translation;
}

TEST(PharaohAlignment, TakesTheGreatestWeightAndLeavesEndsOut) {
    // The second piece looks at the end of the source, the fourth row is the end of the target.
    EXPECT_EQ(pharaoh_alignment(sample()), "1-0 0-2");
}

TEST(PharaohAlignment, IsEmptyWithoutPiecesOrAttention) {
    Translation translation = sample();
    translation.attention.clear();
    EXPECT_EQ(pharaoh_alignment(translation), "");
    translation = Translation();
    translation.source_ids = {3};
    EXPECT_EQ(pharaoh_alignment(translation), "");
}

TEST(Format, Lines) {
    EXPECT_EQ(n_best_line(4, "ein Haus", -0.5), "4 ||| ein Haus ||| -0.500000");
    EXPECT_EQ(score_line(sample()), "-0.500000\t-2.000000");
    EXPECT_EQ(target_pieces(sample(), NumberTokenizer(20)), "7 9 8");
    EXPECT_EQ(target_pieces(Translation(), NumberTokenizer(20)), "");
}

TEST(Format, ScoresOfAGivenTranslation) {
    PairScore score;
    score.ids = {7, 9, 3};
    score.token_log_probs = {-0.5F, -1.25F, -0.125F};
    score.log_prob = -1.875;
    const NumberTokenizer target(20);
    EXPECT_EQ(pair_score_line(score, nullptr), "-1.875000\t3");
    EXPECT_EQ(pair_score_line(score, &target), "-1.875000\t3\t7 9 3\t-0.500000 -1.250000 -0.125000");
}

}  // namespace
}  // namespace softalign
