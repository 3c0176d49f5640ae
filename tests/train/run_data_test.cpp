#include "train/run_data.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "train/training_test.h"

namespace softalign {
namespace {

class SmoothingTest : public Training {
protected:
    // Of a joint vocabulary, of which the target has three words, and neither the source's nor the special pieces.
    RunData of_two_languages(Config& run) {
        std::ofstream(at("train.src")) << "one two\ntwo three\n";
        std::ofstream(at("train.tgt")) << "eins zwei\nzwei drei\n";
        run.data.valid_source.clear();
        run.data.valid_target.clear();
        run.vocabulary.joint = true;
        std::filesystem::create_directories(at("run"));
        return load_run_data(run, make_vocabularies(run, at("run").string()), at("run").string());
    }
};

TEST_F(SmoothingTest, mass_goes_to_the_pieces_of_the_target_and_the_end) {
    Config run = config("run");
    run.training.label_smoothing = 0.1;
    const RunData data = of_two_languages(run);
    const Smoothing smoothing = smoothing_of(run.training, data, at::kCPU);
    EXPECT_EQ(smoothing.epsilon, 0.1);
    ASSERT_EQ(smoothing.spread.numel(), data.sizes().target);
    for (const char* word : {"eins", "zwei", "drei"}) {
        EXPECT_FLOAT_EQ(smoothing.spread[data.tokenizers.target->encode(word).at(0)].item<float>(), 0.25F) << word;
    }
    EXPECT_FLOAT_EQ(smoothing.spread[data.special.target_eos].item<float>(), 0.25F);
    EXPECT_FLOAT_EQ(smoothing.spread.sum().item<float>(), 1.0F);
}

TEST_F(SmoothingTest, mass_is_even_over_all_where_asked) {
    Config run = config("run");
    run.training.label_smoothing = 0.1;
    run.training.label_smoothing_over = SmoothingOver::all;
    const RunData data = of_two_languages(run);
    EXPECT_FALSE(smoothing_of(run.training, data, at::kCPU).spread.defined());
    EXPECT_EQ(smoothing_of(run.training, data, at::kCPU).epsilon, 0.1);
}

}  // namespace
}  // namespace softalign
