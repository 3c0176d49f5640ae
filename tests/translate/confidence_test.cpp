#include "translate/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sample_translation.h"

namespace softalign {
namespace {

TEST(Confidence, OfASentenceIsTheMeanOfItsPieces) {
    Translation translation = sample_translation();
    EXPECT_FLOAT_EQ(sentence_confidence(translation), (std::exp(-0.5F) + std::exp(-0.1F) + std::exp(-1.25F)) / 3.0F);
    translation.token_log_probs.back() = -9.0F;  // the end does not count
    EXPECT_FLOAT_EQ(sentence_confidence(translation), (std::exp(-0.5F) + std::exp(-0.1F) + std::exp(-1.25F)) / 3.0F);
}

TEST(Confidence, OfNothingIsThatOfTheEnd) {
    Translation empty;
    empty.token_log_probs = {0.0F};
    EXPECT_EQ(sentence_confidence(empty), 1.0F);
    empty.token_log_probs = {-2.0F};
    EXPECT_FLOAT_EQ(sentence_confidence(empty), std::exp(-2.0F));
    EXPECT_EQ(word_confidences(empty), std::vector<float>());
}

TEST(Confidence, OfAWordIsTheLeastOfItsPieces) {
    Translation translation = sample_translation();
    const std::vector<float> words = word_confidences(translation);
    ASSERT_EQ(words.size(), 2U);
    EXPECT_FLOAT_EQ(words[0], std::exp(-0.5F));
    EXPECT_FLOAT_EQ(words[1], std::exp(-1.25F));
    translation.target_words.of_piece[1] = {0, 2};  // a piece of both words
    translation.token_log_probs[1] = -3.0F;
    EXPECT_EQ(word_confidences(translation), std::vector<float>(2, word_confidences(translation)[0]));
    translation.target_words = {};
    EXPECT_TRUE(word_confidences(translation).empty());
}

}  // namespace
}  // namespace softalign
