#include "text/vocabulary_bounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

using namespace std::string_literals;

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>(0x80 | (value & 0x7F));
    }
    return bytes + static_cast<char>(value);
}

// A field of bytes or of a message.
std::string field(std::uint64_t number, const std::string& bytes) {
    return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string number_field(std::uint64_t number, std::uint64_t value) {
    return varint(number << 3) + varint(value);
}

std::string symbol(const std::string& text) {
    constexpr std::uint64_t user_defined = 4;
    return field(1, field(1, text) + number_field(3, user_defined));
}

// A double array with room for 256 states at a time.
class Table {
public:
    explicit Table(std::size_t blocks = 1) : units_(256 * blocks, 0x80000000U) {}

    // `base` is where the children are: at base ^ byte. A rule has its text at base itself.
    Table& state(std::uint32_t at, unsigned char byte, std::uint32_t base, bool is_rule = false) {
        const std::uint32_t offset = at ^ base;  // below 2^21
        units_[at] = offset << 10 | (is_rule ? 1U << 8 : 0) | byte;
        return *this;
    }

    Table& text(std::uint32_t at, std::uint32_t position) {
        units_[at] = 0x80000000U | position;
        return *this;
    }

    // As a whole model with this table and these texts.
    std::string model(const std::string& texts, std::uint64_t part = 3) const {
        const std::uint32_t size = static_cast<std::uint32_t>(units_.size() * sizeof(std::uint32_t));
        std::string blob(reinterpret_cast<const char*>(&size), sizeof size);
        blob.append(reinterpret_cast<const char*>(units_.data()), size);
        return field(part, field(2, blob + texts));
    }

private:
    std::vector<std::uint32_t> units_;
};

constexpr std::uint32_t a = 1 ^ 'a';  // the state of "a" in the table below

Table small_table() {  // "a" -> the text at 0
    return Table().state(0, 0, 1).state(a, 'a', 7, true).text(7, 0);
}

TEST(VocabularyBounds, WhatTrainingWritesKeepsThem) {
    const TemporaryFolder folder;
    for (const std::string rules : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}) {
        VocabularyConfig config;
        config.normalization = rules;
        EXPECT_TRUE(keeps_bounds(read_bytes(train_sample(folder, config, 80)))) << rules;
    }
}

TEST(VocabularyBounds, ATableThatLeadsOutOfItself) {
    EXPECT_TRUE(keeps_bounds(small_table().model("x\0"s)));
    EXPECT_TRUE(keeps_bounds(small_table().model("x\0"s, 5)));
    EXPECT_FALSE(keeps_bounds(small_table().text(7, 2).model("x\0"s))) << "a text behind the texts";
    EXPECT_FALSE(keeps_bounds(small_table().text(7, 2).model("x\0"s, 5))) << "of the other normalization";
    EXPECT_FALSE(keeps_bounds(small_table().model("x"))) << "a text without an end";
    EXPECT_FALSE(keeps_bounds(small_table().model(""))) << "no texts";
    EXPECT_FALSE(keeps_bounds(small_table().state(a, 'a', 1024).model("x\0"s))) << "children behind the table";
    EXPECT_FALSE(keeps_bounds(small_table().state(0, 0, 256).model("x\0"s))) << "the same, at once";
    EXPECT_FALSE(keeps_bounds(small_table().state(a, 'a', 4).state(4 ^ 'b', 'b', 1).model("x\0"s))) << "a circle";
    EXPECT_FALSE(keeps_bounds(small_table().model(std::string(2000, 'x') + "\0"s))) << "a very long text";
    EXPECT_FALSE(keeps_bounds(field(3, field(2, "\x08\0\0\0\0\0\0\0"s)))) << "a table larger than the bytes";
    EXPECT_FALSE(keeps_bounds(field(3, field(2, "\x08"s)))) << "no table";
    EXPECT_TRUE(keeps_bounds(field(3, field(2, "") + field(1, "identity"))));
}

// SentencePiece has room for 32 rules that begin with each other, and for 64 symbols.
TEST(VocabularyBounds, TooManyRulesThatBeginWithEachOther) {
    for (const std::uint32_t rules : {32U, 33U}) {
        Table table(rules + 2);  // state i is "aaa..." of that length, in a block of its own
        table.state(0, 0, 256);
        for (std::uint32_t i = 1; i <= rules; ++i) {
            table.state(256 * i + 'a', 'a', 256 * (i + 1), true);
            table.text(256 * (i + 1), 0);
        }
        EXPECT_EQ(keeps_bounds(table.model("x\0"s)), rules == 32);
    }
    for (const std::size_t count : {64U, 65U}) {
        std::string model;
        std::string hidden;  // what is behind a zero byte does not tell them apart
        for (std::size_t i = 1; i <= count; ++i) {
            model += symbol(std::string(i, 'a')) + symbol("b" + std::to_string(i));
            hidden += symbol(std::string(i, 'a') + "\0x"s);
        }
        EXPECT_EQ(keeps_bounds(model), count == 64);
        EXPECT_EQ(keeps_bounds(hidden), count == 64);
    }
}

TEST(VocabularyBounds, WhatIsNoProtocolBuffer) {
    EXPECT_TRUE(keeps_bounds(""));
    const std::string whole = small_table().model("x\0"s);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        EXPECT_FALSE(keeps_bounds(std::string_view(whole).substr(0, size))) << size;
    }
    EXPECT_FALSE(keeps_bounds("\x0B\x0C"));                   // a group
    EXPECT_FALSE(keeps_bounds(std::string(12, '\xFF')));      // a number without an end
    EXPECT_FALSE(keeps_bounds("\x0A\xFF\xFF\xFF\xFF\x0F"s));  // 4 GiB of text
}

// With the address sanitizer this shows what leaves its bounds all the same.
TEST(VocabularyBounds, AModelWithAnyBytesChangedIsRefusedOrUsed) {
    const TemporaryFolder folder;
    const std::string whole = read_bytes(train_sample(folder, VocabularyConfig(), 80));
    std::mt19937 generator(3);
    int used = 0;
    for (int round = 0; round < 400; ++round) {
        std::string bytes = whole;
        // Half of the rounds near the beginning, where the pieces are, or the end, where settings are.
        const std::size_t room = round % 2 == 0 ? bytes.size() : 3000;
        for (int i = 0; i < 1 + round % 3; ++i) {
            const std::size_t at = generator() % room;
            bytes[round % 4 == 1 ? bytes.size() - 1 - at : at] = static_cast<char>(generator());
        }
        try {
            const SentencePieceTokenizer tokenizer(folder.write("changed", bytes));
            tokenizer.decode(
                tokenizer.encode("die stra\xC3\x9F"
                                 "e \xEF\xAC\x81x \xE3\x8C\x96 a\xCC\x88\xE2\x80\x8B"));
            tokenizer.sample("garten", 5);
            ++used;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::model) << error.what();
        }
    }
    EXPECT_GT(used, 50);
    EXPECT_LT(used, 400);
}

}  // namespace
}  // namespace softalign
