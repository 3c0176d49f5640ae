#include "translate/outputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "sample_translation.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

class OutputsTest : public testing::Test {
protected:
    // Writes two translations of a sentence and one of the next.
    void write(const OutputOptions& options) const {
        Outputs outputs(options);
        Translation second = sample_translation();
        second.text = "10";
        second.score = -0.75;
        outputs.write(0, {sample_translation(), second}, tokenizers_.pair);
        outputs.write(1, {sample_translation()}, tokenizers_.pair);
        outputs.close();
    }

    std::string text(OutputOptions options) const {
        options.text = folder_.path("text");
        write(options);
        return read_bytes(options.text);
    }

    std::string alignments(AlignmentFormat format, AlignmentUnits units) const {
        OutputOptions options;
        options.alignments = folder_.path("alignments");
        options.alignment_format = format;
        options.alignment_units = units;
        write(options);
        return read_bytes(options.alignments);
    }

    TemporaryFolder folder_;
    SampleTokenizers tokenizers_;
};

TEST_F(OutputsTest, TextPlainOrAsAnNBestList) {
    OutputOptions options;
    EXPECT_EQ(text(options), "8-9 10\n10\n8-9 10\n");
    options.pieces = true;
    EXPECT_EQ(text(options), "8 9 10\n8 9 10\n8 9 10\n");
    options.n_best_lines = true;
    EXPECT_EQ(text(options), "0 ||| 8 9 10 ||| -0.500000\n0 ||| 8 9 10 ||| -0.750000\n1 ||| 8 9 10 ||| -0.500000\n");
    options.pieces = false;
    options.features = true;
    EXPECT_EQ(text(options),
              "0 ||| 8-9 10 ||| LogProb= -2.000000 Length= 4 LengthNorm= 4.000000 ||| -0.500000\n"
              "0 ||| 10 ||| LogProb= -2.000000 Length= 4 LengthNorm= 4.000000 ||| -0.750000\n"
              "1 ||| 8-9 10 ||| LogProb= -2.000000 Length= 4 LengthNorm= 4.000000 ||| -0.500000\n");
}

TEST_F(OutputsTest, AlignmentsInBothFormatsAndUnits) {
    EXPECT_EQ(alignments(AlignmentFormat::hard, AlignmentUnits::pieces), "0-0 0-1\n0-0 0-1\n0-0 0-1\n");
    EXPECT_EQ(alignments(AlignmentFormat::hard, AlignmentUnits::words), "1-0\n1-0\n1-0\n");
    for (const AlignmentUnits units : {AlignmentUnits::pieces, AlignmentUnits::words}) {
        const std::string first = soft_alignment_line(0, sample_translation(), units, tokenizers_.pair) + "\n";
        EXPECT_EQ(alignments(AlignmentFormat::soft, units),
                  first + first + soft_alignment_line(1, sample_translation(), units, tokenizers_.pair) + "\n");
    }
}

TEST_F(OutputsTest, ScoresALineATranslation) {
    OutputOptions options;
    options.scores = folder_.path("scores");
    options.token_scores = folder_.path("tokens");
    write(options);
    EXPECT_EQ(read_bytes(options.scores), "-0.500000\t-2.000000\n-0.750000\t-2.000000\n-0.500000\t-2.000000\n");
    const std::string line = "8 9 10 3\t-0.500000 -0.100000 -1.250000 -0.150000\n";
    EXPECT_EQ(read_bytes(options.token_scores), line + line + line);
}

TEST_F(OutputsTest, JsonALineASentence) {
    OutputOptions options;
    options.json = folder_.path("json");
    options.json_attention = true;
    write(options);
    const std::string text = read_bytes(options.json);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    EXPECT_NE(text.find("\n" + sentence_line(1, {sample_translation()}, tokenizers_.pair, true) + "\n"),
              std::string::npos);
    options.json_attention = false;
    write(options);
    EXPECT_LT(read_bytes(options.json).size(), text.size());
}

TEST_F(OutputsTest, WritesNothingThatWasNotAskedFor) {
    write({});
    EXPECT_EQ(folder_.files(), 0U);
    OutputOptions options;
    EXPECT_FALSE(options.needs_attention());
    options.json = "a";
    EXPECT_TRUE(options.needs_attention() && options.needs_words());
    options.json.clear();
    options.alignments = "a";
    EXPECT_TRUE(options.needs_attention());
    EXPECT_FALSE(options.needs_words());
    options.alignment_units = AlignmentUnits::words;
    EXPECT_TRUE(options.needs_words());
}

TEST_F(OutputsTest, FilesAppearWhenAllIsWritten) {
    OutputOptions options;
    options.text = folder_.path("text");
    options.json = folder_.path("json");
    Outputs outputs(options);
    outputs.write(0, {sample_translation()}, tokenizers_.pair);
    outputs.flush();
    EXPECT_FALSE(std::filesystem::exists(options.text));
    outputs.close();
    EXPECT_TRUE(std::filesystem::exists(options.text));
    EXPECT_TRUE(std::filesystem::exists(options.json));
}

}  // namespace
}  // namespace softalign
