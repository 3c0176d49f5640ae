#include "text/vocabulary_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "text/piece_list.h"

namespace softalign {
namespace {

TEST(VocabularyChecksum, IsAFunctionOfPiecesAndIds) {
    SpecialIds special;
    special.bos = special.eos;
    const PieceList plain({"<pad>", "<unk>", "<s>", "</s>", "ab", "c"});
    const std::set<std::uint64_t> sums = {
        vocabulary_checksum(plain),
        vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "ab", "c"}, special)),
        vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "a", "bc"})),
        vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "c", "ab"})),
        vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "ab"})),
        vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "ab", "c", ""})),
    };
    EXPECT_EQ(sums.size(), 6U);
    EXPECT_EQ(vocabulary_checksum(plain), vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "ab", "c"})));
}

// Files of other machines have it, so it must not change. The figure is from another implementation of FNV-1a.
TEST(VocabularyChecksum, IsTheSameEverywhere) {
    EXPECT_EQ(vocabulary_checksum(PieceList({"<pad>", "<unk>", "<s>", "</s>", "\xE2\x96\x81h", "\xC3\xBC"})),
              0x88fbf4e545bdaaabULL);
}

}  // namespace
}  // namespace softalign
