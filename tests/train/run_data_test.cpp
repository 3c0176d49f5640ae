#include "train/run_data.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "text/placeholder_pieces.h"
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

using SidesTest = Training;

// Where the lines of all files together are as many, too.
TEST_F(SidesTest, each_pair_of_files_has_as_many_lines_on_both) {
    Config run = config("run");
    const auto path = [this](const char* name, const char* text) {
        std::ofstream(at(name)) << text;
        return at(name).string();
    };
    run.data.train_source = {path("a.src", "one\ntwo\n"), path("b.src", "three\n")};
    run.data.train_target = {path("a.tgt", "eins\n"), path("b.tgt", "zwei\ndrei\n")};
    const std::string message = fault(ExitCode::data, [&] { make_vocabularies(run, at("run").string()); });
    EXPECT_NE(message.find("a.src has 2 lines, "), std::string::npos) << message;
    EXPECT_NE(message.find("a.tgt has 1 line;"), std::string::npos) << message;
}

using PlaceholdersTest = Training;

TEST_F(PlaceholdersTest, stand_for_spans_of_the_training_and_the_validation_text) {
    Config run = config("run");
    run.vocabulary.joint = false;
    run.vocabulary.placeholders = 2;
    for (const char* name : {"train", "valid"}) {
        std::ofstream(at(name + std::string(".src"))) << "see www.a.org/b 17 times\none 5\n";
        std::ofstream(at(name + std::string(".tgt"))) << "17 mal www.a.org/b sehen\neins\n";
    }
    run.data.train_source = {at("train.src").string()};
    run.data.train_target = {at("train.tgt").string()};
    run.data.valid_source = at("valid.src").string();
    run.data.valid_target = at("valid.tgt").string();
    std::filesystem::create_directories(at("run"));
    const RunData data = load_run_data(run, make_vocabularies(run, at("run").string()), at("run").string());
    const Tokenizer& source = *data.tokenizers.source;
    const Tokenizer& target = *data.tokenizers.target;
    EXPECT_EQ(count_placeholders(source), 2U);
    EXPECT_EQ(count_placeholders(target), 2U);
    const std::string first = placeholder(0);
    const std::string second = placeholder(1);
    EXPECT_EQ(data.valid_sources.front(), "see " + first + " " + second + " times");
    EXPECT_EQ(data.valid_references.front(), second + " mal " + first + " sehen");
    EXPECT_EQ(data.valid_sources.back(), "one 5");
    // What counts is what the vocabularies have, whoever put it there.
    const VocabularyFiles files = make_vocabularies(run, at("run").string());
    run.vocabulary.placeholders = 0;
    const RunData same = load_run_data(run, files, at("run").string());
    EXPECT_EQ(same.valid_sources, data.valid_sources);
    EXPECT_EQ(same.train->example(0, 0).source, data.train->example(0, 0).source);
    run.data.alignments = {at("train.src").string()};
    EXPECT_THROW(load_run_data(run, files, at("run").string()), Error);
    run.data.alignments.clear();
    for (const auto& corpus : {data.train.get(), data.valid.get()}) {
        const Example example = corpus->example(0, 0);
        EXPECT_EQ(example.source, source.encode(data.valid_sources.front()));
        EXPECT_EQ(example.target, target.encode(data.valid_references.front()));
        EXPECT_EQ(std::count(example.target.begin(), example.target.end(), target.special().unk), 0);
    }
}

}  // namespace
}  // namespace softalign
