#include "report/sentences.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softalign {
namespace {

using Lines = std::vector<std::string>;

std::string words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += (i == 0 ? "w" : " w") + std::to_string(i);
    }
    return text;
}

TEST(SentenceScores, OfEachSentenceWithEffectiveOrder) {
    const SentenceScores scores = sentence_scores({"a b", "x y", ""}, {"a b", "a b", "a"}, {});
    EXPECT_DOUBLE_EQ(scores.bleu[0], 100.0);  // although there is no sequence of four
    EXPECT_EQ(scores.bleu[1], 0.0);
    EXPECT_EQ(scores.bleu[2], 0.0);
    EXPECT_EQ(scores.reference_length, (std::vector<std::int64_t>{2, 2, 1}));
}

TEST(ScoresByLength, CorpusScoreOfEachClassThatOccurs) {
    const Lines references = {words(5), words(6), words(10), words(60), ""};
    const Lines outputs = {words(5), words(6), "nothing of it", words(60), ""};
    const SentenceScores scores = sentence_scores(outputs, references, {});
    const std::vector<LengthScore> classes = scores_by_length(outputs, references, scores.reference_length, {});
    ASSERT_EQ(classes.size(), 4U);
    EXPECT_EQ(classes[0].lengths, "0");
    EXPECT_EQ(classes[1].lengths, "1-5");
    EXPECT_DOUBLE_EQ(classes[1].bleu, 100.0);
    EXPECT_EQ(classes[2].lengths, "6-10");
    EXPECT_EQ(classes[2].sentences, 2U);
    EXPECT_DOUBLE_EQ(classes[2].bleu,
                     corpus_bleu({outputs[1], outputs[2]}, {{references[1], references[2]}}, {}).score);
    EXPECT_EQ(classes[3].lengths, ">50");
    EXPECT_EQ(classes[3].sentences, 1U);
}

}  // namespace
}  // namespace softalign
