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
    translation.length_norm = 4.0;
    translation.ids = {7, 9, 8};
    translation.token_log_probs = {-0.5F, -0.25F, -1.125F, -0.125F};
    return translation;
}

TEST(Format, Lines) {
    EXPECT_EQ(n_best_line(4, "ein Haus", -0.5), "4 ||| ein Haus ||| -0.500000");
    EXPECT_EQ(n_best_line(4, "ein ||| Haus", -0.5), "4 ||| ein \\||| Haus ||| -0.500000");
    EXPECT_EQ(n_best_line(4, "ein Haus", -0.5, "A= 1"), "4 ||| ein Haus ||| A= 1 ||| -0.500000");
    EXPECT_EQ(pharaoh_line({{1, 0}, {0, 2}}), "1-0 0-2");
    EXPECT_EQ(pharaoh_line({}), "");
    EXPECT_EQ(score_line(sample()), "-0.500000\t-2.000000");
    EXPECT_EQ(target_pieces(sample(), NumberTokenizer(20)), "7 9 8");
    EXPECT_EQ(target_pieces(Translation(), NumberTokenizer(20)), "");
}

TEST(Format, FeaturesAreThoseInUse) {
    Translation translation = sample();
    EXPECT_EQ(feature_list(translation), "LogProb= -2.000000 Length= 4 LengthNorm= 4.000000");
    translation.coverage = -0.3125;
    EXPECT_EQ(feature_list(translation), "LogProb= -2.000000 Length= 4 LengthNorm= 4.000000 Coverage= -0.312500");
    translation.coverage = 0.0;
    translation.model_token_log_probs = {{-1.0F, -0.5F}, {-2.0F, -0.25F}};
    EXPECT_EQ(feature_list(translation),
              "LogProb= -2.000000 Length= 4 LengthNorm= 4.000000 Model0= -1.500000 Model1= -2.250000");
    EXPECT_EQ(feature_list(Translation()), "LogProb= 0.000000 Length= 1 LengthNorm= 1.000000");
}

TEST(Format, LogProbabilitiesOfTokens) {
    EXPECT_EQ(token_score_line(sample(), NumberTokenizer(20)), "7 9 8 3\t-0.500000 -0.250000 -1.125000 -0.125000");
    Translation empty;
    empty.token_log_probs = {0.0F};
    EXPECT_EQ(token_score_line(empty, NumberTokenizer(20)), "3\t0.000000");
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
