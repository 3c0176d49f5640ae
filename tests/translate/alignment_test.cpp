#include "translate/alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sample_translation.h"
#include "text/fixtures.h"
#include "toy_translator.h"

namespace softalign {
namespace {

using Labels = std::vector<std::string>;

double sum(const std::vector<float>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0);
}

TEST(AlignmentWeights, InPiecesAreTheAttention) {
    const Translation translation = sample_translation();
    EXPECT_EQ(alignment_weights(translation, AlignmentUnits::pieces), translation.attention);
}

TEST(AlignmentWeights, InWordsAddColumnsAndAverageRows) {
    const AlignmentWeights expected = {{0.4375F, 0.5F, 0.0625F}, {0.125F, 0.375F, 0.5F}, {0.0F, 0.25F, 0.75F}};
    EXPECT_EQ(alignment_weights(sample_translation(), AlignmentUnits::words), expected);
}

// Three words in the place of one unknown piece, and a word that no source piece belongs to.
TEST(AlignmentWeights, APieceOfSeveralWordsAndAWordWithoutPieces) {
    Translation translation = sample_translation();
    translation.target_words = {{"der", "kleine", "Hund", "10"}, {{0, 1}, {1, 3}, {3, 4}}};
    translation.source_words = {{"5", "6-7", "*"}, {{0, 1}, {1, 2}, {1, 2}}};
    const AlignmentWeights expected = {{0.375F, 0.5F, 0.0F, 0.125F},
                                       {0.5F, 0.5F, 0.0F, 0.0F},
                                       {0.5F, 0.5F, 0.0F, 0.0F},
                                       {0.125F, 0.375F, 0.0F, 0.5F},
                                       {0.0F, 0.25F, 0.0F, 0.75F}};
    EXPECT_EQ(alignment_weights(translation, AlignmentUnits::words), expected);
}

// Local attention of the predictive kind multiplies weights by a Gaussian.
TEST(AlignmentWeights, RowsKeepTheirSums) {
    Translation translation = sample_translation();
    for (std::size_t row = 0; row < 2; ++row) {
        for (float& weight : translation.attention[row]) {
            weight *= row == 0 ? 0.5F : 0.25F;
        }
    }
    const AlignmentWeights weights = alignment_weights(translation, AlignmentUnits::words);
    EXPECT_FLOAT_EQ(static_cast<float>(sum(weights[0])), 0.375F);  // of 0.5 and 0.25
    EXPECT_FLOAT_EQ(static_cast<float>(sum(weights[1])), 1.0F);
}

TEST(AlignmentWeights, WithoutPiecesOrAttention) {
    Translation translation = sample_translation();
    translation.attention.clear();
    EXPECT_TRUE(alignment_weights(translation, AlignmentUnits::words).empty());
    EXPECT_TRUE(hard_alignment({}).empty());

    Translation empty;
    empty.source_ids = {3};
    empty.attention = {{1.0F}};
    for (const AlignmentUnits units : {AlignmentUnits::pieces, AlignmentUnits::words}) {
        EXPECT_EQ(alignment_weights(empty, units), (AlignmentWeights{{1.0F}}));
        EXPECT_TRUE(hard_alignment(alignment_weights(empty, units)).empty());
    }
}

TEST(HardAlignment, TakesTheGreatestWeightAndLeavesEndsOut) {
    // The third row looks at the end of the source, the fourth is the end of the target.
    EXPECT_EQ(hard_alignment(sample_translation(), AlignmentUnits::pieces), (AlignmentPairs{{0, 0}, {0, 1}}));
    EXPECT_EQ(hard_alignment(sample_translation(), AlignmentUnits::words), (AlignmentPairs{{1, 0}}));
}

TEST(HardAlignment, TakesTheFirstOfEqualWeights) {
    EXPECT_EQ(hard_alignment({{0.1F, 0.7F, 0.2F}, {0.45F, 0.45F, 0.1F}, {0.2F, 0.4F, 0.4F}, {1.0F, 0.0F, 0.0F}}),
              (AlignmentPairs{{1, 0}, {0, 1}, {1, 2}}));
}

TEST(AlignmentLabels, AreThePiecesOrWordsAndTheEnds) {
    const Translation translation = sample_translation();
    const SampleTokenizers tokenizers;
    EXPECT_EQ(source_labels(translation, AlignmentUnits::pieces, tokenizers.source), (Labels{"5", "6", "7", "3"}));
    EXPECT_EQ(source_labels(translation, AlignmentUnits::words, tokenizers.source), (Labels{"5", "6-7", "3"}));
    EXPECT_EQ(target_labels(translation, AlignmentUnits::pieces, tokenizers.target), (Labels{"8", "9", "10", "3"}));
    EXPECT_EQ(target_labels(translation, AlignmentUnits::words, tokenizers.target), (Labels{"8-9", "10", "3"}));
}

// Where every piece is a word and every word a piece the two are one.
TEST(AlignmentOfTheTranslator, WordsAndPiecesAgreeWhereTheyAreTheSame) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    toy.options.keep_words = true;
    for (const auto& translations : toy.translate({"5 6 6 99 7", "*  * ", "", "9 * 8"})) {
        for (const Translation& translation : translations) {
            const AlignmentWeights pieces = alignment_weights(translation, AlignmentUnits::pieces);
            const AlignmentWeights words = alignment_weights(translation, AlignmentUnits::words);
            ASSERT_EQ(words.size(), pieces.size());
            EXPECT_EQ(target_labels(translation, AlignmentUnits::words, toy.target),
                      target_labels(translation, AlignmentUnits::pieces, toy.target));
            for (std::size_t row = 0; row < words.size(); ++row) {
                EXPECT_EQ(words[row].size(), translation.source_words.words.size() + 1);
                EXPECT_NEAR(sum(words[row]), 1.0, 1e-5);
                EXPECT_EQ(words[row].back(), pieces[row].back());
                EXPECT_EQ(words[row].front(), translation.source == "*  * " ? 0.0F : pieces[row].front());
            }
        }
    }
}

// A piece that is replaced by two words has a part in both; one that is left out has one in its neighbour.
TEST(AlignmentOfTheTranslator, WordsThatReplaceUnknownPieces) {
    const TemporaryFolder folder;
    ToyTranslator toy;
    toy.model->named_parameters()["output_bias"].data()[1] += 8.0;  // the model writes little but unknown pieces
    toy.options.keep_attention = true;
    toy.options.keep_words = true;
    toy.options.replace_unk = std::make_shared<const Dictionary>(folder.write("words", "foo\tkleiner Hund\n"));
    std::size_t doubled = 0;
    for (const auto& translations : toy.translate({"5 foo 7", "foo foo foo", "bar  11 12 Baz"})) {
        for (const Translation& translation : translations) {
            std::string joined;
            for (const std::string& word : translation.target_words.words) {
                joined += (joined.empty() ? "" : " ") + word;
            }
            EXPECT_EQ(joined, translation.text);
            std::size_t next = 0;
            for (const WordRange& range : translation.target_words.of_piece) {
                EXPECT_LE(range.begin, next);
                ASSERT_LE(range.end, translation.target_words.words.size());
                if (range.end - range.begin == 2) {
                    EXPECT_EQ(translation.target_words.words[range.begin], "kleiner");
                    ++doubled;
                }
                next = std::max(next, range.end);
            }
            EXPECT_EQ(next, translation.target_words.words.size());
            for (const std::vector<float>& row : alignment_weights(translation, AlignmentUnits::words)) {
                EXPECT_NEAR(sum(row), 1.0, 1e-5);
            }
        }
    }
    EXPECT_GT(doubled, 0U);
}

TEST(AlignmentOfTheTranslator, ACutSentenceHasTheWordsThatWereRead) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    toy.options.keep_words = true;
    toy.options.search.max_source_length = 2;
    const Translation cut = toy.translate({"5 6 7 8"}).front().front();
    EXPECT_EQ(cut.source, "5 6 7 8");
    EXPECT_EQ(cut.source_words.words, (Labels{"5", "6"}));
    const AlignmentWeights weights = alignment_weights(cut, AlignmentUnits::words);
    ASSERT_FALSE(weights.empty());
    for (const std::vector<float>& row : weights) {
        ASSERT_EQ(row.size(), 3U);
        EXPECT_NEAR(sum(row), 1.0, 1e-5);
    }
}

// In dense rows these would take 48 GB.
TEST(AlignmentOfTheTranslator, WordsWithoutPiecesTakeNoMemory) {
    Translation translation = sample_translation();
    translation.source_words.words.assign(1000000, "*");
    translation.source_words.of_piece = {{7, 8}, {999998, 999999}, {999998, 999999}};
    translation.target_words.words.assign(4000, "8");
    translation.target_words.of_piece = {{0, 1}, {0, 1}, {1, 4000}};
    const AlignmentPairs pairs = hard_alignment(translation, AlignmentUnits::words);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs.front(), std::make_pair(std::size_t{999998}, std::size_t{0}));
}

TEST(AlignmentOfTheTranslator, WordsAreLeftOutUnlessAskedFor) {
    const Translation translation = ToyTranslator().translate({"5 6"}).front().front();
    EXPECT_TRUE(translation.source_words.words.empty());
    EXPECT_TRUE(translation.target_words.words.empty());
    EXPECT_EQ(translation.source, "5 6");
}

}  // namespace
}  // namespace softalign
