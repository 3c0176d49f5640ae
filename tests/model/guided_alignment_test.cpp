#include "model/guided_alignment.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fixtures.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

constexpr AlignmentCost all_costs[] = {AlignmentCost::cross_entropy, AlignmentCost::squared_error};

TEST(AlignmentOfABatch, SharesEachTargetWordAmongItsLinks) {
    Batch batch;
    batch.sentences = 2;
    batch.source_width = 3;
    batch.target_width = 2;
    EXPECT_FALSE(alignment_of(batch).defined());
    batch.alignments = {{}, {{0, 1}, {2, 1}}};
    const at::Tensor expected = at::zeros({2, 2, 3});
    expected[1][1][0] = 0.5;
    expected[1][1][2] = 0.5;
    EXPECT_TRUE(alignment_of(batch).equal(expected));
}

TEST(AlignmentCosts, AreTheEquations) {
    const at::Tensor weights = at::tensor({0.7, 0.2, 0.1, 0.0, 1.0, 0.0, 0.3, 0.3, 0.4}, at::kDouble).view({3, 3});
    const at::Tensor alignment = at::tensor({0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0}).view({3, 3});
    EXPECT_NEAR(alignment_cost(weights, alignment, AlignmentCost::cross_entropy).item<double>(),
                -0.5 * std::log(0.7) - 0.5 * std::log(0.1) - std::log(1e-8), 1e-6);
    EXPECT_NEAR(alignment_cost(weights, alignment, AlignmentCost::squared_error).item<double>(),
                0.04 + 0.04 + 0.16 + 1.0 + 1.0, 1e-6);
}

// Links for sample_pairs, in the order of the text: to one word, to several, to none, and to the end.
TensorBatch aligned_batch(std::int64_t extra = 0) {
    TensorBatch batch = make_tensors(sample_pairs(), extra, extra > 0 ? 7 : 0);
    batch.alignment = at::zeros({4, batch.target_out.size(1), batch.source.width()});
    batch.alignment[0][0][2] = 1.0;
    batch.alignment[0][1][0] = 0.5;
    batch.alignment[0][1][1] = 0.5;
    batch.alignment[1][0][0] = 1.0;
    batch.alignment[1][3][0] = 1.0;
    batch.alignment[2][0][4] = 1.0;
    batch.alignment[3][0][0] = 1.0;
    return batch;
}

// Calls f(model) for every kind of model with attention.
template <typename Function>
void for_each_guided(Function f) {
    std::uint64_t seed = 31;
    for (const VariantGroup& group : variant_groups()) {
        for (std::size_t i = 0; i < group.variants.size(); i += 3) {
            const Variant& variant = group.variants[i];
            const auto model = random_model(variant.config, seed++);
            if (model->has_attention()) {
                SCOPED_TRACE(group.name + " " + variant.name);
                f(*model);
            }
        }
    }
}

TEST(GuidedAlignment, IsTheCostOfTheAttentionAndItsGradientIsRight) {
    const TensorBatch batch = aligned_batch();
    std::size_t models = 0;
    for_each_guided([&](Seq2Seq& model) {
        const GuidedAlignmentConfig guided{3.0, all_costs[models++ % 2]};
        const Loss without = model.loss(make_tensors(sample_pairs()), 0.1, plain_execution);
        const Loss with = model.loss(batch, 0.1, plain_execution, guided);
        const at::Tensor weights = model.attention(batch, plain_execution).detach();  // in the order of the text
        const double cost =
            alignment_cost(weights.flatten(0, 1), batch.alignment.flatten(0, 1), guided.cost).item<double>();
        EXPECT_NEAR(with.alignment.item<double>(), cost, 1e-9 * std::max(1.0, cost));
        EXPECT_NEAR(with.objective.item<double>() - without.objective.item<double>(), 3.0 * cost,
                    1e-8 * std::max(1.0, cost));
        EXPECT_EQ(with.negative_log_prob.item<double>(), without.negative_log_prob.item<double>());
        EXPECT_FALSE(without.alignment.defined());
        EXPECT_FALSE(with.alignment.requires_grad());
        std::string worst;
        const auto objective = [&] { return model.loss(batch, 0.1, plain_execution, guided).objective; };
        EXPECT_LE(directional_error(objective, model, &worst), 5e-7) << worst;
    });
    EXPECT_GT(models, 60U);
}

TEST(GuidedAlignment, PaddingChangesNothingAndTwoEqualPassesAreOne) {
    for_each_guided([&](Seq2Seq& model) {
        const GuidedAlignmentConfig guided{0.5, AlignmentCost::cross_entropy};
        const Loss tight = model.loss(aligned_batch(), 0.1, plain_execution, guided);
        const Loss wide = model.loss(aligned_batch(3), 0.1, plain_execution, guided);
        const Loss twice = model.r_drop_loss(aligned_batch(), {0.1, 2.0}, plain_execution, guided);
        for (const Loss* const other : {&wide, &twice}) {
            EXPECT_NEAR(other->objective.item<double>(), tight.objective.item<double>(), 1e-9);
            EXPECT_NEAR(other->alignment.item<double>(), tight.alignment.item<double>(), 1e-9);
        }
    });
}

}  // namespace
}  // namespace softalign
