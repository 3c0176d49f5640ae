// Texts of a size that no person writes: lines of a hundred thousand words, words of a megabyte, a million lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

std::string words(std::size_t count) {
    const Arguments some = {"the ", "cat ", "sees ", "a ", "small ", "house ", "dog "};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += some[(i * i + i / 7) % some.size()];
    }
    return text;
}

class HostileLongInput : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string line_ = folder_.write("line", "a dog\n" + words(100000) + "\nthe cat\n");
    const std::string word_ = folder_.write("word", "a dog\n" + std::string(1000000, 'x') + "\nthe cat\n");
};

TEST_F(HostileLongInput, TranslateCutsALineAndTakesAWord) {
    const Outcome line = run_here({"translate", "--model", model_, "--input", line_, "--beam", "1"});
    expect_success(line);
    EXPECT_EQ(lines_of(line.out).size(), 3U);
    EXPECT_TRUE(has(line.err, "1 of 3 sentences had more than 1000 pieces")) << line.err;
    const Outcome word = run_here({"translate", "--model", model_, "--input", word_, "--replace-unk", "--json", "-"});
    expect_success(word);
    EXPECT_EQ(lines_of(word.out).size(), 3U);
    const Outcome whole = run_here({"translate", "--model", model_, "--input", line_, "--beam", "1", "--max-length",
                                    "5", "--max-source-length", "1000000", "--quiet"});
    expect_success(whole);
    EXPECT_EQ(lines_of(whole.out).size(), 3U);
}

TEST_F(HostileLongInput, TranslateRefusesThemAsPrefixesAndPhrases) {
    const Arguments command = {"translate", "--model", model_, "--input", folder_.write("text", "a\n\nthe cat\n")};
    const auto with = [&](const std::string& option, const std::string& file) {
        Arguments arguments = command;
        arguments.insert(arguments.end(), {option, file});
        return run_here(arguments);
    };
    for (const std::string option : {"--prefixes", "--phrases"}) {
        for (const std::string& line : {words(100000), std::string(1000000, 'x')}) {
            const Outcome outcome = with(option, folder_.write("lines", "dog\n" + line + "\n" + line + "\n"));
            expect_fault(outcome, ExitCode::data,
                         "sentence 3: its prefix and phrases have " + std::to_string(line.size()) +
                             " bytes; give at most 65536 for a sentence");
            EXPECT_EQ(lines_of(outcome.out).size(), 2U);
        }
    }
    std::string phrases;
    for (int i = 0; i < 1000000; ++i) {
        phrases += "dog\t";
    }
    expect_fault(with("--phrases", folder_.write("lines", "\n\n" + phrases + "dog\n")), ExitCode::data,
                 "sentence 3 has more than 64 required phrases; give fewer");
}

TEST_F(HostileLongInput, EveryKindOfVocabularyTakesThem) {
    std::string word;  // of characters that the vocabulary knows: SentencePiece joins unknown ones in quadratic time
    for (int i = 0; i < 250000; ++i) {
        word += "haus";
    }
    const std::string known = folder_.write("known", "a dog\n" + word + "\nthe cat\n");
    const std::string text = folder_.write("text", joined(sample_sentences()));
    for (const std::string type : {"unigram", "bpe", "word", "char"}) {
        SCOPED_TRACE(type);
        const std::string vocabulary = folder_.path(type + ".spm");
        expect_success(run_here({"vocab", "train", "--input", line_, word_, known, text, "--type", type, "--size", "60",
                                 "--output", vocabulary}));
        for (const std::string& file : {line_, known}) {
            const Outcome outcome = run_here({"vocab", "encode", "--model", vocabulary, "--input", file});
            expect_success(outcome);
            EXPECT_EQ(lines_of(outcome.out).size(), 3U);
        }
    }
}

TEST_F(HostileLongInput, ScoreTakesThem) {
    for (const std::string& file : {line_, word_}) {
        const Outcome outcome = run_here({"score", "--model", model_, "--source", word_, "--target", file, "--quiet"});
        expect_success(outcome);
        EXPECT_EQ(lines_of(outcome.out).size(), 3U);
    }
    expect_fault(run_here({"score", "--model", model_, "--source", line_, "--target", line_}), ExitCode::data,
                 "pair 2 has 100000 source and 100000 target pieces, too many to score together; split it");
}

TEST_F(HostileLongInput, EvaluateTakesThemInEveryMetric) {
    const std::string other = folder_.write("other", "a dog\nthe " + words(99999) + "\nthe cat\n");
    for (const auto& [hypotheses, references] : {std::pair(line_, other), std::pair(word_, line_)}) {
        const Outcome outcome = run_here({"evaluate", "--hypotheses", hypotheses, "--references", references,
                                          "--metrics", "bleu,chrf,chrf++,ter,cer,wer"});
        expect_success(outcome);
        EXPECT_TRUE(has(outcome.out, "WER")) << outcome.out;
    }
}

TEST_F(HostileLongInput, TrainingDropsThemAndSaysSo) {
    Config config = small_model_config();
    const std::string many = folder_.write("many", joined(sample_sentences()) + words(100000) + "\n");
    config.data.train_source = {many};
    config.data.train_target = {many};
    config.data.valid_source = word_;
    config.data.valid_target = word_;
    config.checkpoints.directory = folder_.path("run");
    config.training.max_updates = 2;
    config.report.html = false;
    const std::string file = folder_.write("config.yaml", to_yaml(config));
    const Outcome outcome = run_here({"train", file});
    expect_success(outcome);
    EXPECT_TRUE(has(outcome.err, "1 of 601 pairs dropped: 1 longer than ")) << outcome.err;

    fs::remove_all(config.checkpoints.directory);
    const std::string lone = folder_.write("lone", words(100000));
    config.data.train_source = {lone};
    config.data.train_target = {lone};
    folder_.write("config.yaml", to_yaml(config));
    expect_fault(run_here({"train", file}), ExitCode::data,
                 "no sentence pair is left of 1: 1 over data.max_source_length or data.max_target_length");
}

// Nearly all are empty, so that what is measured is what goes with every line: reading, waiting, order, writing.
TEST_F(HostileLongInput, AMillionLinesAreTranslatedInBoundedMemory) {
    constexpr std::size_t lines = 1000000;
    std::string text(lines, '\n');
    text.insert(lines / 2, "the cat");
    const Arguments command = {"translate", "--model", model_, "--quiet", "--input"};
    Arguments few = command;
    few.push_back(folder_.write("few", "the cat\n"));
    Arguments many = command;
    many.push_back(folder_.write("many", text));
    const Outcome small = run_alone(folder_, few);
    const Outcome large = run_alone(folder_, many);
    expect_success(large);
    EXPECT_EQ(large.out.substr(lines / 2, small.out.size()), small.out);
    EXPECT_EQ(std::count(large.out.begin(), large.out.end(), '\n'), static_cast<std::ptrdiff_t>(lines));
#if !defined(SOFTALIGN_SANITIZED)
    constexpr long some_megabytes = 32 * 1024;
    EXPECT_LT(large.peak_kilobytes, small.peak_kilobytes + some_megabytes);
#endif
}

}  // namespace
}  // namespace softalign
