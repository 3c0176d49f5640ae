#include "text/vocabulary_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

const std::string damaged_table = "the table of its normalisation is damaged";

// A field of a protocol buffer message that holds bytes.
std::string long_field(unsigned number, const std::string& bytes) {
    std::string text(1, static_cast<char>(number << 3 | 2));
    std::size_t length = bytes.size();
    for (; length >= 0x80; length >>= 7) {
        text += static_cast<char>(0x80 | (length & 0x7F));
    }
    return text + static_cast<char>(length) + bytes;
}

std::string piece(const std::string& text, char type) {
    return long_field(1, long_field(1, text) + '\x18' + type);
}

// Rules in the form of a double array. Every run of up to `longest` letters "a" becomes the text at `value`.
class Rules {
public:
    explicit Rules(std::size_t longest, std::uint32_t value = 0) : units((longest + 1) * 256) {
        units[0] = 'x';  // the root, which no byte leads to: its children lie at 0
        for (std::size_t i = 0; i < longest; ++i) {
            lead(i * 256 + 'a', (i + 1) * 256);
            units[(i + 1) * 256] = 1U << 31 | value;
        }
    }

    // A unit whose byte is "a", with a rule, whose children lie at `base`.
    void lead(std::size_t unit, std::size_t base) {
        units[unit] = static_cast<std::uint32_t>((unit ^ base) << 10) | 1U << 8 | 'a';
    }

    std::string table() const {
        const auto bytes = static_cast<std::uint32_t>(units.size() * sizeof(std::uint32_t));
        std::string text(sizeof(bytes) + bytes, '\0');
        std::memcpy(text.data(), &bytes, sizeof(bytes));
        std::memcpy(text.data() + sizeof(bytes), units.data(), bytes);
        return text + replacements;
    }

    std::string fault() const { return fault_of(table()); }

    static std::string fault_of(const std::string& table) {
        return fault_of_vocabulary_file(long_field(3, long_field(1, "name") + long_field(2, table)));
    }

    std::vector<std::uint32_t> units;
    std::string replacements = std::string("b\0", 2);
};

TEST(VocabularyFile, WhatSentencePieceWritesIsSound) {
    const TemporaryFolder folder;
    for (const char* normalization : {"identity", "nmt_nfkc", "nmt_nfkc_cf"}) {
        VocabularyConfig config;
        config.normalization = normalization;
        const std::string path = train_sample(folder, config, 110);
        EXPECT_EQ(fault_of_vocabulary_file(read_bytes(path)), "");
        EXPECT_GT(SentencePieceTokenizer(path).size(), 0);
    }
    EXPECT_EQ(Rules(3).fault(), "");
    EXPECT_EQ(fault_of_vocabulary_file(""), "");  // it has nothing to be trusted in
}

TEST(VocabularyFile, RulesThatLeadOutOfTheirTable) {
    Rules far(3);
    far.lead('a', 4 * 256);
    EXPECT_EQ(far.fault(), damaged_table);
    Rules root(3);
    root.units[0] = 1U << 20;
    EXPECT_EQ(root.fault(), damaged_table);
    EXPECT_EQ(Rules(3, 1).fault(), "");
    EXPECT_EQ(Rules(3, 2).fault(), damaged_table) << "behind the last replacement";
}

TEST(VocabularyFile, RulesWithoutEnd) {
    Rules loop(3);
    loop.lead('a', 0);
    EXPECT_EQ(loop.fault(), damaged_table);
    EXPECT_EQ(Rules(32).fault(), "");
    EXPECT_EQ(Rules(33).fault(), damaged_table) << "SentencePiece has room for 32 rules that begin alike";
}

TEST(VocabularyFile, TablesOfTheWrongSize) {
    const std::string table = Rules(3).table();
    for (const std::size_t bytes : {1, 3, 4, 200, 4 + 3 * 1024, 4 + 4 * 1024}) {
        EXPECT_EQ(Rules::fault_of(table.substr(0, bytes)), damaged_table) << bytes;
    }
    EXPECT_EQ(Rules::fault_of(table.substr(0, table.size() - 1)), damaged_table) << "its last replacement has no end";
    EXPECT_EQ(Rules::fault_of(""), "") << "no rules";
    EXPECT_EQ(Rules::fault_of("\x01" + table.substr(1)), damaged_table) << "no whole number of units";
}

TEST(VocabularyFile, BothTablesAreLookedAt) {
    const std::string bad = long_field(2, Rules(3, 9).table());
    EXPECT_EQ(fault_of_vocabulary_file(long_field(5, bad)), damaged_table);
    EXPECT_EQ(fault_of_vocabulary_file(long_field(3, bad) + long_field(3, long_field(2, Rules(3).table()))),
              damaged_table);
}

TEST(VocabularyFile, UserDefinedPiecesThatBeginAlike) {
    std::string bytes;
    for (std::size_t length = 1; length <= 64; ++length) {
        bytes += piece(std::string(length, 'a'), 4) + piece(std::string(length, 'b'), 1);
    }
    EXPECT_EQ(fault_of_vocabulary_file(bytes), "");
    EXPECT_EQ(fault_of_vocabulary_file(bytes + piece(std::string(65, 'b'), 1)), "") << "an ordinary piece";
    EXPECT_EQ(fault_of_vocabulary_file(bytes + piece(std::string(65, 'a'), 4)),
              "more than 64 of its user-defined pieces begin alike");
}

TEST(VocabularyFile, ScoresThatAreNotFinite) {
    const auto with_score = [](float score) {
        std::string bytes(sizeof(score), '\0');
        std::memcpy(bytes.data(), &score, sizeof(score));
        return fault_of_vocabulary_file(long_field(1, long_field(1, "a") + '\x15' + bytes));
    };
    EXPECT_EQ(with_score(-1e6F), "");
    for (const float score : {INFINITY, -INFINITY, NAN, 3e38F}) {
        EXPECT_EQ(with_score(score), "one of its pieces is damaged");
    }
}

TEST(VocabularyFile, WhatIsNoMessage) {
    EXPECT_EQ(fault_of_vocabulary_file("\n\1\v"), "one of its pieces is damaged");
    for (const char* bytes :
         {"\n\5ab", "\v", "\b\x80", "\b\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1", "\t1234567", "\r123"}) {
        EXPECT_EQ(fault_of_vocabulary_file(bytes), "it is another kind of file, or damaged");
    }
}

}  // namespace
}  // namespace softalign
