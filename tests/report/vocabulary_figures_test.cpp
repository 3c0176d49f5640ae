#include "report/run_review.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/temporary.h"
#include "text/fixtures.h"
#include "text/trained_vocabulary.h"

namespace softalign {
namespace {

std::string value_of(const ReportVocabulary& vocabulary, const std::string& name) {
    for (const ReportFact& fact : vocabulary.figures) {
        if (fact.name == name) {
            return fact.value;
        }
    }
    return "no such figure";
}

class VocabularyFigures : public testing::Test {
protected:
    Tokenizers tokenizers(VocabularyType type, std::int64_t size) {
        VocabularyConfig config;
        config.type = type;
        train_vocabulary_on({"the cat sees the dog", "a small house is a house", "the dog is small"}, config, size,
                            joint_vocabulary_path(directory_.path()));
        return load_tokenizers(directory_.path());
    }

    TemporaryDirectory directory_{"vocabulary"};
};

TEST_F(VocabularyFigures, WordsUnknownAndUse) {
    const Tokenizers words = tokenizers(VocabularyType::word, 12);
    const std::vector<ReportVocabulary> all = vocabularies_of(words);
    ASSERT_EQ(all.size(), 1U);  // one for both sides
    EXPECT_EQ(value_of(all[0], "Pieces"), std::to_string(words.source->size()));
    const ReportVocabulary figures = text_figures("text", *words.source, {"the dog zzz", "", "the dog the"});
    EXPECT_EQ(figures.name, "text");
    EXPECT_EQ(value_of(figures, "Lines"), "3");
    EXPECT_EQ(value_of(figures, "Words"), "6");
    EXPECT_EQ(value_of(figures, "Pieces per word"), "1.00");
    EXPECT_EQ(value_of(figures, "Unknown pieces"), "16.67 %");
    EXPECT_EQ(value_of(figures, "Vocabulary in use"), "25.00 %");  // 3 of 12
    EXPECT_TRUE(figures.most_split.empty());
}

TEST_F(VocabularyFigures, WordsInMostPieces) {
    const Tokenizers characters = tokenizers(VocabularyType::character, 30);
    const ReportVocabulary figures = text_figures("text", *characters.source, {"the small dog"});
    ASSERT_EQ(figures.most_split.size(), 3U);
    EXPECT_EQ(figures.most_split[0], "▁ s m a l l");
}

TEST_F(VocabularyFigures, LongestPiecesWithoutTheSpecialOnes) {
    const std::vector<ReportVocabulary> all = vocabularies_of(tokenizers(VocabularyType::word, 12));
    ASSERT_FALSE(all[0].longest_pieces.empty());
    EXPECT_EQ(all[0].longest_pieces[0], "▁house");
    for (const std::string& piece : all[0].longest_pieces) {
        EXPECT_EQ(piece.find('<'), std::string::npos);
    }
}

TEST_F(VocabularyFigures, TextWithoutWords) {
    const ReportVocabulary figures = text_figures("text", *tokenizers(VocabularyType::word, 12).source, {"", "  "});
    EXPECT_EQ(value_of(figures, "Words"), "0");
    EXPECT_EQ(value_of(figures, "Unknown pieces"), "-");
    EXPECT_EQ(value_of(figures, "Pieces per word"), "no such figure");
}

}  // namespace
}  // namespace softalign
