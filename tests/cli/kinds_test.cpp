// All that `translate` and `score` can do, with models of every kind of encoder and decoder.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "base/has.h"
#include "cli/command_test.h"

namespace softalign {
namespace {

struct Kind {
    std::string name;
    EncoderType encoder;
    DecoderType decoder;
};

void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name;
}

class KindsCommand : public CommandTest, public testing::WithParamInterface<Kind> {
protected:
    void SetUp() override {
        Config config = small_model_config();
        config.model.encoder.type = GetParam().encoder;
        config.model.decoder.type = GetParam().decoder;
        config.model.decoder.layers = 2;
        config.model.transformer.heads = 2;
        config.model.transformer.groups = 1;
        config.model.transformer.feed_forward_size = 12;
        config.model.positions.size = 4;
        config.model.init.scale = 0.3;
        write_model(model_, config);
        write_model(recurrent_);
    }

    Arguments translate(Arguments arguments) const {
        arguments.insert(arguments.begin(),
                         {"translate", "--device", "cpu", "--quiet", "--model", model_, "--input", input_});
        return lines_of(output_of(&add_translate_command, arguments));
    }

    // The log-probability of every token of the targets.
    std::vector<double> tokens(Arguments arguments) const {
        arguments.insert(arguments.begin(), {"score", "--device", "cpu", "--source", input_, "--target", target_,
                                             "--tokens", "--model", model_});
        std::vector<double> values;
        for (const std::string& line : lines_of(output_of(&add_score_command, arguments))) {
            for (const std::string& value : split(split(line, '\t').at(3), ' ')) {
                values.push_back(std::stod(value));
            }
        }
        return values;
    }

    const std::string model_ = folder_.path("model");
    const std::string recurrent_ = folder_.path("recurrent");
    const std::string input_ = folder_.write("input", joined(model_sentences));
    const std::string target_ = folder_.write("target", "the dog\na cat\na small house\n\nthe cat sees\n");
};

TEST_P(KindsCommand, BatchesAndWorkersChangeNoTranslation) {
    const Arguments plain = translate({"--beam", "4"});
    ASSERT_EQ(plain.size(), model_sentences.size());
    EXPECT_EQ(translate({"--beam", "4", "--batch-size", "1"}), plain);
    EXPECT_EQ(translate({"--beam", "4", "--workers", "3", "--batch-size", "2"}), plain);
    const std::string alignments = folder_.path("alignments");
    translate({"--beam", "4", "--alignments", alignments, "--min-length", "1"});
    EXPECT_EQ(lines_of(read_bytes(alignments)).size(), model_sentences.size());
    EXPECT_NE(read_bytes(alignments).find("-0"), std::string::npos) << read_bytes(alignments);
}

TEST_P(KindsCommand, StartsAndPhrasesAreKeptTo) {
    const std::string prefixes = folder_.write("prefixes", "dog a\n\nthe sm\n\nhouse \n");
    const Arguments started = translate({"--prefixes", prefixes});
    ASSERT_EQ(started.size(), model_sentences.size());
    EXPECT_EQ(started[0].substr(0, 5), "dog a");
    EXPECT_EQ(started[1], translate({})[1]);
    EXPECT_EQ(started[2].substr(0, 9), "the small");
    const std::string phrases = folder_.write("phrases", "small dog\thouse\ncat\n\n\nthe the\n");
    const Arguments holding = translate({"--phrases", phrases, "--beam", "6"});
    ASSERT_EQ(holding.size(), model_sentences.size());
    EXPECT_NE(holding[0].find("small dog"), std::string::npos) << holding[0];
    EXPECT_NE(holding[0].find("house"), std::string::npos) << holding[0];
    EXPECT_NE(holding[1].find("cat"), std::string::npos) << holding[1];
    EXPECT_NE(holding[4].find("the the"), std::string::npos) << holding[4];
}

TEST_P(KindsCommand, DrawsWhatTheSeedSays) {
    const Arguments drawn = translate({"--sample", "--n-best", "4", "--seed", "7"});
    EXPECT_EQ(translate({"--sample", "--n-best", "4", "--seed", "7"}), drawn);
    EXPECT_NE(translate({"--sample", "--n-best", "4", "--seed", "8"}), drawn);
    EXPECT_EQ(translate({"--sample", "--top-k", "1"}), translate({"--beam", "1"}));
}

TEST_P(KindsCommand, AShortlistLeavesOnlyItsWords) {
    const std::string list = folder_.path("list");
    output_of(&add_shortlist_command, {"shortlist", "--model", model_, "--device", "cpu", "--quiet", "--source", input_,
                                       "--target", target_, "--output", list});
    EXPECT_EQ(translate({"--shortlist", list}).size(), model_sentences.size());
    // One that has nothing but "dog" beside the end: the pieces always allowed are pairs of a number and a text.
    const Arguments lines = lines_of(read_bytes(list));
    const Arguments always = split(lines.at(3), ' ');
    std::string narrow = always.at(0) + " " + always.at(1) + " " + always.at(2);
    for (std::size_t i = 1; i + 1 < always.size(); i += 2) {
        narrow += has(always[i + 1], "dog") ? " " + always[i] + " " + always[i + 1] : "";
    }
    const std::string edited = folder_.write("narrow", joined({lines[0], lines[1], lines[2], narrow, "end"}));
    std::size_t words = 0;
    for (const std::string& line : translate({"--shortlist", edited, "--min-length", "1"})) {
        for (const std::string& word : split(line, ' ')) {
            EXPECT_EQ(word, "dog");
            ++words;
        }
    }
    EXPECT_GE(words, 4U);  // an empty sentence has an empty translation
}

TEST_P(KindsCommand, IsAveragedWithARecurrentModel) {
    const std::vector<double> own = tokens({});
    const std::vector<double> both = tokens({"--model", recurrent_});
    const std::vector<double> twice = tokens({"--model", model_});
    const std::vector<double> other = tokens({"--model", recurrent_, "--ensemble-weights", "0,1"});
    ASSERT_EQ(both.size(), own.size());
    ASSERT_EQ(other.size(), own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        EXPECT_NEAR(both[i], std::log(0.5 * std::exp(own[i]) + 0.5 * std::exp(other[i])), 5e-6);
        EXPECT_NEAR(twice[i], own[i], 5e-6);
    }
    const Arguments lines = translate({"--model", recurrent_, "--features", "--beam", "4"});
    ASSERT_EQ(lines.size(), model_sentences.size());
    EXPECT_NE(lines.front().find("Model1= "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, KindsCommand,
                         testing::Values(Kind{"recurrent", EncoderType::recurrent, DecoderType::recurrent},
                                         Kind{"transformer", EncoderType::transformer, DecoderType::transformer},
                                         Kind{"transformer_gru", EncoderType::transformer, DecoderType::recurrent},
                                         Kind{"convolutional_gru", EncoderType::convolutional, DecoderType::recurrent},
                                         Kind{"gru_transformer", EncoderType::recurrent, DecoderType::transformer},
                                         Kind{"convolutional_transformer", EncoderType::convolutional,
                                              DecoderType::transformer}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace softalign
