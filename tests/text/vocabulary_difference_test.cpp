#include "text/vocabulary_difference.h"

#include <gtest/gtest.h>

#include "text/piece_list.h"

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

}  // namespace
}  // namespace softalign
