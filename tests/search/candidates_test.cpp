#include "search/restrictions.h"

#include <gtest/gtest.h>

#include <limits>

namespace softalign {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

TEST(Candidates, AreThoseOfAllSentencesAndTellWhoseTheyAre) {
    const Candidates candidates = make_candidates({{7, 3, 7}, {3, 11, 4}, {3}}, at::kCPU);
    EXPECT_TRUE(candidates.ids.equal(at::tensor({3, 4, 7, 11}, at::kLong)));
    const at::Tensor expected = at::tensor({1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0}, at::kLong).view({3, 4}).to(at::kBool);
    EXPECT_TRUE(candidates.mask.equal(expected));
}

TEST(Candidates, ShareAllProbabilityAndTheOthersHaveNone) {
    const at::Tensor ids = at::tensor({1, 3, 4}, at::kLong);
    const at::Tensor mask = at::tensor({1, 1, 0, 0, 1, 1}, at::kLong).view({2, 3}).to(at::kBool);
    // Odds of 1 to 3, and of 1 to 1, beside a logit that must not count.
    const at::Tensor logits = at::tensor({0.0, 1.0986123, 50.0, 50.0, 2.0, 2.0}, at::kFloat).view({2, 3});
    const at::Tensor log_probs = candidate_log_probs(logits, ids, mask, 6);
    const at::Tensor expected =
        at::tensor({0.0, 0.25, 0.0, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0}, at::kFloat).view({2, 6});
    EXPECT_EQ(log_probs.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::allclose(log_probs.exp(), expected, 1e-6, 1e-7)) << log_probs;
    EXPECT_TRUE(log_probs.eq(never).equal(expected.eq(0.0)));
}

TEST(Candidates, ANumberThatIsNoneIsSeen) {
    const at::Tensor logits = at::full({1, 2}, std::numeric_limits<float>::quiet_NaN(), at::kFloat);
    const at::Tensor mask = at::ones({1, 2}, at::kBool);
    EXPECT_TRUE(candidate_log_probs(logits, at::tensor({0, 2}, at::kLong), mask, 3)[0][2].isnan().item<bool>());
}

}  // namespace
}  // namespace softalign
