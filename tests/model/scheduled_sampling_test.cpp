// The words that a decoder reads under scheduled sampling.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fixtures.h"
#include "ops/execution.h"
#include "ops/plain_execution.h"

namespace softalign {
namespace {

// The most probable word in place of each word of a target, given the true ones before it: a step at a time, of one
// sentence alone, in the order of the text.
std::vector<std::int64_t> predictions(const Seq2Seq& model, Pair pair) {
    const bool reversed = model.config().decoder.reverse_target;
    if (reversed) {
        std::reverse(pair.target.begin(), pair.target.end());
    }
    const TensorBatch batch = make_tensors({pair});
    const Encoded encoded = model.encode(batch.source, plain_execution);
    const MemoryPtr memory = model.decoder().prepare(encoded, plain_execution);
    StatePtr state = model.decoder().start(encoded, plain_execution);
    std::vector<std::int64_t> words;
    for (std::size_t t = 0; t < pair.target.size(); ++t) {
        const TargetStep step =
            model.step(batch.target_in.select(1, static_cast<std::int64_t>(t)), *memory, *state, plain_execution);
        words.push_back(step.logits.argmax(1).item<std::int64_t>());
        state = step.state;
    }
    if (reversed) {
        std::reverse(words.begin(), words.end());
    }
    return words;
}

TEST(ScheduledSampling, OwnWordsAreTheMostProbableOnes) {
    const at::NoGradGuard no_grad;
    const TensorBatch batch = make_tensors(sample_pairs(), 1);
    for (const VariantGroup& group : variant_groups()) {
        for (const Variant& variant : group.variants) {
            SCOPED_TRACE(group.name + ": " + variant.name);
            const auto model = random_model(variant.config, 31);
            Noise noise(1);
            const TensorBatch own = model->with_own_words(batch, 0.0, Execution(nullptr, &noise));
            EXPECT_TRUE(own.target_out.equal(batch.target_out));
            for (std::size_t b = 0; b < sample_pairs().size(); ++b) {
                const at::Tensor read = own.target_in[static_cast<std::int64_t>(b)];
                const std::vector<std::int64_t> expected = predictions(*model, sample_pairs()[b]);
                EXPECT_EQ(read[0].item<std::int64_t>(), bos_id);
                for (std::size_t t = 0; t < expected.size(); ++t) {
                    EXPECT_EQ(read[static_cast<std::int64_t>(t) + 1].item<std::int64_t>(), expected[t]);
                }
            }
        }
    }
}

TEST(ScheduledSampling, TheShareOfTrueWordsIsThatAskedForAndTheKeyDecidesWhich) {
    std::vector<Pair> pairs;
    for (std::int64_t i = 0; i < 80; ++i) {
        pairs.push_back({{4, 5, 6}, std::vector<std::int64_t>(20 + static_cast<std::size_t>(i % 10), 4 + i % 5)});
    }
    const TensorBatch batch = make_tensors(pairs);
    const auto model = random_model(all_variants(CellType::gru, Order::before)[0].config, 32);
    const auto read = [&](double truth, std::uint64_t key) {
        Noise noise(key);
        return model->with_own_words(batch, truth, Execution(nullptr, &noise)).target_in;
    };
    const at::Tensor present = token_mask(batch.target_lengths, batch.target_in.size(1), at::kCPU);
    const at::Tensor own = read(0.0, 1);
    const at::Tensor differ = own.ne(batch.target_in).logical_and(present);
    const double count = differ.sum().item<double>();
    ASSERT_GT(count, 1000.0);
    for (const double truth : {0.9, 0.5, 0.2}) {
        const at::Tensor mixed = read(truth, 1);
        const at::Tensor is_true = mixed.eq(batch.target_in);
        EXPECT_TRUE(is_true.logical_or(mixed.eq(own)).masked_select(present).all().item<bool>());
        EXPECT_NEAR(is_true.logical_and(differ).sum().item<double>() / count, truth, 0.05);
        EXPECT_TRUE(mixed.equal(read(truth, 1)));
        EXPECT_FALSE(mixed.equal(read(truth, 2)));
    }
}

}  // namespace
}  // namespace softalign
