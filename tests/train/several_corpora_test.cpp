// data.weights and data.tags, from the texts to the model.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/has.h"
#include "data/batch_stream.h"
#include "text/tags.h"
#include "train/run_data.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

class SeveralCorpora : public Training {
protected:
    void SetUp() override {
        Training::SetUp();
        write_corpus(directory_, "back", 200, 3);
    }

    Config two_corpora(const std::string& run) const {
        Config result = config(run);
        result.data.train_source = {at("train.src"), at("back.src")};
        result.data.train_target = {at("train.tgt"), at("back.tgt")};
        result.data.weights = {0.5, 0.75};
        result.data.tags = {"", "<bt>"};
        return result;
    }
};

TEST_F(SeveralCorpora, EndWithTheSameBytesOnAnyNumberOfWorkersAndAfterAResume) {
    Config whole = two_corpora("whole");
    whole.vocabulary.type = VocabularyType::unigram;
    whole.vocabulary.size = 30;
    whole.vocabulary.sampling_alpha = 0.5;
    expect_same_bytes_in_parts(whole, {7, 22, 40});  // 15 updates an epoch
    EXPECT_EQ(metrics("whole").front()["epoch"], 1);
    // The tag is one more piece, of the vocabulary that the model keeps.
    EXPECT_EQ(load_tokenizers(at("whole")).source->size(), 31);
    EXPECT_NO_THROW(tag_ids(*load_tokenizers(at("whole")).source, "<bt>"));
}

TEST_F(SeveralCorpora, ARunWithOtherPartsIsNotResumed) {
    Config run = two_corpora("run");
    run.training.max_updates = 2;
    train(run, false);
    const auto refusal = [&](const Config& changed) {
        return fault(ExitCode::configuration, [&] { train(changed, true); });
    };
    Config other = run;
    other.data.weights = {1.0, 0.75};
    EXPECT_TRUE(has(refusal(other), "data.weights: [0.5, 0.75] before, [1.0, 0.75] now"));
    other = run;
    other.data.tags = {"", "<tb>"};
    EXPECT_TRUE(has(refusal(other), "data.tags: [\"\", \"<bt>\"] before"));
    // The same text, divided elsewhere.
    for (const char* side : {"src", "tgt"}) {
        const std::string all = bytes(std::string("train.") + side) + bytes(std::string("back.") + side);
        std::size_t middle = 0;
        for (int line = 0; line < 100; ++line) {
            middle = all.find('\n', middle) + 1;
        }
        std::ofstream(at(std::string("first.") + side)) << all.substr(0, middle);
        std::ofstream(at(std::string("second.") + side)) << all.substr(middle);
    }
    other = run;
    other.data.train_source = {at("first.src"), at("second.src")};
    other.data.train_target = {at("first.tgt"), at("second.tgt")};
    const std::string message = refusal(other);
    EXPECT_TRUE(has(message, "files up to 300, 500)")) << message;
    EXPECT_TRUE(has(message, "files up to 100, 500)")) << message;
}

TEST_F(SeveralCorpora, AGivenVocabularyGetsTheTag) {
    train(config("old"), false);
    Config next = two_corpora("next");
    next.training.start_from = at("old");
    next.vocabulary.from_start_model = true;
    next.training.max_updates = 2;
    train(next, false);
    EXPECT_EQ(load_tokenizers(at("next")).source->size(), load_tokenizers(at("old")).source->size() + 1);
    EXPECT_EQ(load_tokenizers(at("next")).source->piece(load_tokenizers(at("old")).source->size()), "\xE2\x96\x81<bt>");
}

TEST_F(SeveralCorpora, WeightsThatLeaveAnEpochEmptyAreRefused) {
    Config run = two_corpora("run");
    run.data.weights = {0.001, 0.001};
    const std::string message = fault(ExitCode::configuration, [&] { train(run, false); });
    EXPECT_TRUE(has(message, "data.weights are so low that an epoch may have no sentence pair")) << message;
    EXPECT_FALSE(std::filesystem::exists(at("run") / "config.yaml"));
}

}  // namespace
}  // namespace softalign
