#include "text/vocabulary_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "text/piece_list.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

TEST(VocabularyDifference, NoneBetweenEqualOnes) {
    const PieceList one({"<pad>", "<unk>", "<s>", "</s>", "a", "b"});
    const PieceList other({"<pad>", "<unk>", "<s>", "</s>", "a", "b"});
    EXPECT_EQ(vocabulary_difference(one, one), "");
    EXPECT_EQ(vocabulary_difference(one, other), "");
}

TEST(VocabularyDifference, SaysWhatDiffersFirst) {
    const PieceList one({"<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"});
    EXPECT_EQ(vocabulary_difference(one, PieceList({"<pad>", "<unk>", "<s>", "</s>", "a", "b"})), "7 and 6 pieces");
    EXPECT_EQ(vocabulary_difference(one, PieceList({"<pad>", "<unk>", "<s>", "</s>", "a", "x", "y"})),
              "the piece of id 5 is \"b\" and \"x\"");
    SpecialIds special;
    special.bos = special.eos;
    EXPECT_EQ(vocabulary_difference(one, PieceList({"<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"}, special)),
              "the id of the begin of sentence is 2 and 3");
    special = SpecialIds();
    special.unk = 4;
    EXPECT_EQ(vocabulary_difference(one, PieceList({"<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"}, special)),
              "the id of the unknown piece is 1 and 4");
}

// A field of a protocol buffer message that holds bytes: at most 127 of them.
std::string field(unsigned number, const std::string& bytes) {
    return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(bytes.size())) + bytes;
}

std::string piece(const std::string& text, float score, int type) {
    std::string number(sizeof(score), '\0');
    std::memcpy(number.data(), &score, sizeof(score));
    return field(1, field(1, text) + '\x15' + number + '\x18' + static_cast<char>(type));
}

// A unigram model whose word "ab" has a score; what is in `more` replaces what is before it.
SentencePieceTokenizer unigrams(float score, const std::string& more = "") {
    const std::string space = "\xE2\x96\x81";
    return SentencePieceTokenizer(VocabularyBytes{"test", piece("<unk>", 0, 2) + piece("</s>", 0, 3) +
                                                              piece(space, -1, 1) + piece("a", -2, 1) +
                                                              piece("b", -2, 1) + piece("ab", score, 1) + more});
}

// The pieces are the same, but not what a text becomes.
TEST(SegmentationDifference, IsFoundWhereTextsAreCutUnlike) {
    const std::string alike = "the same pieces, but ";
    const SentencePieceTokenizer one = unigrams(-1);
    EXPECT_EQ(segmentation_difference(one, one), "");
    EXPECT_EQ(segmentation_difference(one, unigrams(-1)), "");
    const SentencePieceTokenizer scored = unigrams(-9);
    EXPECT_NE(one.encode("ab"), scored.encode("ab"));
    EXPECT_EQ(segmentation_difference(one, scored), alike + "other scores of them");
    const std::string normalizer = "\x1a\x02";
    const SentencePieceTokenizer bare = unigrams(-1, normalizer + "\x18" + '\0');
    EXPECT_NE(one.encode("a b"), bare.encode("a b"));
    EXPECT_EQ(segmentation_difference(one, bare), alike + "another normalisation of the text");
    const SentencePieceTokenizer spaced = unigrams(-1, normalizer + "\x20" + '\0');
    EXPECT_NE(one.encode("a  b"), spaced.encode("a  b"));
    EXPECT_EQ(segmentation_difference(one, spaced), alike + "another normalisation of the text");
    const std::string trainer = "\x12";
    const SentencePieceTokenizer characters = unigrams(-1, trainer + "\x02\x18\x04");
    EXPECT_NE(one.encode("ab"), characters.encode("ab"));
    EXPECT_EQ(segmentation_difference(one, characters), alike + "another way to cut text into them");
    const SentencePieceTokenizer suffix = unigrams(-1, trainer + "\x03\xC0\x01\x01");
    EXPECT_NE(one.encode("a"), suffix.encode("a"));
    EXPECT_EQ(segmentation_difference(one, suffix), alike + "another way to cut text into them");
    EXPECT_EQ(segmentation_difference(one, PieceList({"<unk>", "</s>"})), "6 and 2 pieces");
}

// What the file leaves out has its default, and its training is no part of the rules.
TEST(SegmentationDifference, IsNotInHowAFileIsWritten) {
    const SentencePieceTokenizer one = unigrams(-1);
    const std::string normalizer = "\x1a\x06\x18\x01\x20\x01\x28\x01";
    const std::string trainer = "\x12\x05\x18\x01\xC0\x01";
    EXPECT_EQ(segmentation_difference(one, unigrams(-1, normalizer + trainer + '\0')), "");
    EXPECT_EQ(segmentation_difference(one, unigrams(-1, field(2, field(1, "corpus") + field(2, "prefix")))), "");
    EXPECT_EQ(segmentation_difference(one, unigrams(-1, field(3, field(1, "name")))), "");
}

}  // namespace
}  // namespace softalign
