#include "text/vocabulary_difference.h"

#include <gtest/gtest.h>

#include <vector>

namespace softalign {
namespace {

// A vocabulary that is nothing but a list of pieces.
class Pieces : public Tokenizer {
public:
    explicit Pieces(std::vector<std::string> pieces, SpecialIds special = {})
        : pieces_(std::move(pieces)), special_(special) {}

    std::int32_t size() const override { return static_cast<std::int32_t>(pieces_.size()); }
    SpecialIds special() const override { return special_; }
    std::vector<std::int32_t> encode(std::string_view) const override { return {}; }
    std::vector<std::size_t> word_numbers(std::string_view) const override { return {}; }
    std::vector<std::int32_t> sample(std::string_view, std::uint64_t) const override { return {}; }
    std::string decode(const std::vector<std::int32_t>&) const override { return ""; }
    std::string piece(std::int32_t id) const override { return pieces_.at(static_cast<std::size_t>(id)); }

private:
    std::vector<std::string> pieces_;
    SpecialIds special_;
};

TEST(VocabularyDifference, NoneBetweenEqualOnes) {
    const Pieces one({"<pad>", "<unk>", "<s>", "</s>", "a", "b"});
    const Pieces other({"<pad>", "<unk>", "<s>", "</s>", "a", "b"});
    EXPECT_EQ(vocabulary_difference(one, one), "");
    EXPECT_EQ(vocabulary_difference(one, other), "");
}

TEST(VocabularyDifference, SaysWhatDiffersFirst) {
    const Pieces one({"<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"});
    EXPECT_EQ(vocabulary_difference(one, Pieces({"<pad>", "<unk>", "<s>", "</s>", "a", "b"})), "7 and 6 pieces");
    EXPECT_EQ(vocabulary_difference(one, Pieces({"<pad>", "<unk>", "<s>", "</s>", "a", "x", "y"})),
              "the piece of id 5 is \"b\" and \"x\"");
    SpecialIds special;
    special.bos = special.eos;
    EXPECT_EQ(vocabulary_difference(one, Pieces({"<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"}, special)),
              "the id of the begin of sentence is 2 and 3");
    special = SpecialIds();
    special.unk = 4;
    EXPECT_EQ(vocabulary_difference(one, Pieces({"<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"}, special)),
              "the id of the unknown piece is 1 and 4");
}

}  // namespace
}  // namespace softalign
