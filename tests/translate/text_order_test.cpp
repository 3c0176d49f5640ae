#include "translate/text_order.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace softalign {
namespace {

TEST(TextOrder, TurnsTheTokensRoundAndLeavesTheEndLast) {
    Hypothesis hypothesis;
    hypothesis.ids = {7, 8, 9};
    hypothesis.token_log_probs = {-1.0F, -2.0F, -3.0F, -4.0F};
    hypothesis.model_token_log_probs = {{-1.0F, -2.0F, -3.0F, -4.0F}, {-5.0F, -6.0F, -7.0F, -8.0F}};
    hypothesis.attention = {{0.1F, 0.9F}, {0.2F, 0.8F}, {0.3F, 0.7F}, {0.4F, 0.6F}};
    hypothesis.log_prob = -10.0;
    hypothesis.score = -2.5;
    to_text_order(hypothesis);
    EXPECT_EQ(hypothesis.ids, (std::vector<std::int32_t>{9, 8, 7}));
    EXPECT_EQ(hypothesis.token_log_probs, (std::vector<float>{-3.0F, -2.0F, -1.0F, -4.0F}));
    EXPECT_EQ(hypothesis.model_token_log_probs,
              (std::vector<std::vector<float>>{{-3.0F, -2.0F, -1.0F, -4.0F}, {-7.0F, -6.0F, -5.0F, -8.0F}}));
    EXPECT_EQ(hypothesis.attention,
              (std::vector<std::vector<float>>{{0.3F, 0.7F}, {0.2F, 0.8F}, {0.1F, 0.9F}, {0.4F, 0.6F}}));
    EXPECT_EQ(hypothesis.log_prob, -10.0);
    EXPECT_EQ(hypothesis.score, -2.5);
}

TEST(TextOrder, WhatWasNotKeptStaysEmpty) {
    Hypothesis hypothesis;
    to_text_order(hypothesis);
    EXPECT_TRUE(hypothesis.ids.empty());
    hypothesis.ids = {4, 5};
    to_text_order(hypothesis);
    EXPECT_EQ(hypothesis.ids, (std::vector<std::int32_t>{5, 4}));
    EXPECT_TRUE(hypothesis.token_log_probs.empty());
    EXPECT_TRUE(hypothesis.attention.empty());
}

}  // namespace
}  // namespace softalign
