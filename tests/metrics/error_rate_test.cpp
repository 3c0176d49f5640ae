#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "metrics/edit_distance.h"
#include "metrics/statistics.h"
#include "metrics/text_metric.h"
#include "metrics/tokenizers.h"

namespace softalign {
namespace {

using Symbols = std::vector<Symbol>;

// The distance cell by cell (Wagner and Fischer 1974).
std::int64_t plain_distance(const Symbols& one, const Symbols& other) {
    std::vector<std::int64_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::int64_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::int64_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (one[i] == other[j] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row.back();
}

// The fewest edits by its definition: tries all of them.
std::int64_t fewest_edits(const Symbol* one, std::size_t length, const Symbol* other, std::size_t other_length) {
    if (length == 0 || other_length == 0) {
        return static_cast<std::int64_t>(length + other_length);
    }
    const std::int64_t replaced =
        fewest_edits(one + 1, length - 1, other + 1, other_length - 1) + (*one == *other ? 0 : 1);
    return std::min({replaced, fewest_edits(one + 1, length - 1, other, other_length) + 1,
                     fewest_edits(one, length, other + 1, other_length - 1) + 1});
}

// All sequences of the symbols 0 to `symbols` - 1 of at most `longest`.
std::vector<Symbols> all_sequences(Symbol symbols, std::size_t longest) {
    std::vector<Symbols> sequences{{}};
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        for (Symbol symbol = 0; sequences[i].size() < longest && symbol < symbols; ++symbol) {
            sequences.push_back(sequences[i]);
            sequences.back().push_back(symbol);
        }
    }
    return sequences;
}

TEST(EditDistance, AllShortSequences) {
    EditDistance distance;
    for (const auto& sequences : {all_sequences(2, 5), all_sequences(3, 3)}) {
        for (const Symbols& one : sequences) {
            for (const Symbols& other : sequences) {
                const std::int64_t expected = fewest_edits(one.data(), one.size(), other.data(), other.size());
                ASSERT_EQ(distance.between(one, other), expected);
                ASSERT_EQ(plain_distance(one, other), expected);
            }
        }
    }
}

Symbols random_symbols(Random& random, std::size_t length, std::uint64_t symbols) {
    Symbols sequence(length);
    for (Symbol& symbol : sequence) {
        symbol = static_cast<Symbol>(random.below(symbols));
    }
    return sequence;
}

// The sequence after so many random edits.
Symbols edited(Random& random, Symbols sequence, std::size_t edits, std::uint64_t symbols) {
    for (std::size_t i = 0; i < edits; ++i) {
        const auto place = static_cast<std::ptrdiff_t>(random.below(sequence.size() + 1));
        const auto symbol = static_cast<Symbol>(random.below(symbols));
        if (random.below(3) == 0 || place == static_cast<std::ptrdiff_t>(sequence.size())) {
            sequence.insert(sequence.begin() + place, symbol);
        } else if (random.below(2) == 0) {
            sequence.erase(sequence.begin() + place);
        } else {
            sequence[static_cast<std::size_t>(place)] = symbol;
        }
    }
    return sequence;
}

// Lengths around those of blocks, distances inside the first band and far outside it.
TEST(EditDistance, LongSequences) {
    Random random(7);
    EditDistance distance;
    const std::size_t lengths[] = {1, 63, 64, 65, 127, 128, 129, 200, 500};
    for (const std::uint64_t symbols : {2U, 4U, 30U, 70000U}) {
        for (const std::size_t length : lengths) {
            const Symbols one = random_symbols(random, length, symbols);
            for (const std::size_t other_length : lengths) {
                const Symbols other = random_symbols(random, other_length, symbols);
                ASSERT_EQ(distance.between(one, other), plain_distance(one, other)) << length << " " << other_length;
            }
            for (const std::size_t edits : {1U, 10U, 60U, 65U, 150U}) {
                const Symbols other = edited(random, one, edits, symbols);
                ASSERT_EQ(distance.between(one, other), plain_distance(one, other)) << length << " " << edits;
                ASSERT_EQ(distance.between(other, one), plain_distance(one, other)) << length << " " << edits;
            }
        }
    }
}

// A block moved from one end to the other: the shortest way runs far from the diagonal.
TEST(EditDistance, FarFromTheDiagonal) {
    Random random(8);
    EditDistance distance;
    for (const std::size_t moved : {50U, 70U, 100U, 130U, 250U}) {
        const Symbols one = random_symbols(random, 600, 40);
        Symbols other(one.begin() + static_cast<std::ptrdiff_t>(moved), one.end());
        const Symbols tail = random_symbols(random, moved, 40);
        other.insert(other.end(), tail.begin(), tail.end());
        ASSERT_EQ(distance.between(one, other), plain_distance(one, other)) << moved;
    }
}

struct Rates {
    double cer;
    double wer;
};

Rates rates(const std::vector<std::string>& hypotheses, const std::vector<std::vector<std::string>>& references,
            const ErrorRateOptions& options = {}) {
    const ReferenceSet set(references, EmptyReferences::count);
    const auto rate = [&](ErrorUnit unit) {
        const auto metric = make_error_rate(unit, options);
        return metric->score(system_statistics(*metric, set, hypotheses).sums().data());
    };
    return {rate(ErrorUnit::character), rate(ErrorUnit::word)};
}

void expect_rates(const Rates& found, double cer, double wer) {
    EXPECT_DOUBLE_EQ(found.cer, cer);
    EXPECT_DOUBLE_EQ(found.wer, wer);
}

TEST(ErrorRate, ComputedByHand) {
    // sits -> sat (2), "the " inserted (4), mats -> mat (1), on 20 characters; three of five words.
    expect_rates(rates({"the cat sat on the mat"}, {{"the cat sits on mats"}}), 100.0 * 7 / 20, 100.0 * 3 / 5);
    // kitten -> sitting: 3 edits, as is well known; reference "sitting" has 7 characters.
    expect_rates(rates({"kitten"}, {{"sitting"}}), 100.0 * 3 / 7, 100.0);
    expect_rates(rates({"same words"}, {{"same words"}}), 0.0, 0.0);
    // All is wrong, and more than there is: rates exceed 100.
    expect_rates(rates({"xxxx y z"}, {{"ab"}}), 400.0, 300.0);
}

// The rates of a corpus are not the means of those of its sentences.
TEST(ErrorRate, SumsOverTheCorpus) {
    expect_rates(rates({"a", "one two three"}, {{"b", "one two three"}}), 100.0 * 1 / 14, 100.0 * 1 / 4);
}

TEST(ErrorRate, SpacesAreCharacters) {
    expect_rates(rates({"ab cd"}, {{"abcd"}}), 25.0, 200.0);
    expect_rates(rates({"ab  cd"}, {{"ab cd"}}), 20.0, 0.0);
    expect_rates(rates({"  ab cd\t"}, {{"ab cd \xC2\xA0"}}), 0.0, 0.0);
    // U+3000 separates words as a space does, and is another character.
    expect_rates(rates({"ab\xE3\x80\x80"
                        "cd"},
                       {{"ab cd"}}),
                 20.0, 0.0);
}

TEST(ErrorRate, CharactersAreComposedCodePoints) {
    // "é" as one code point and as two.
    expect_rates(rates({"caf\xC3\xA9"}, {{"cafe\xCC\x81"}}), 0.0, 0.0);
    expect_rates(rates({"cafe"}, {{"cafe\xCC\x81"}}), 25.0, 100.0);
    expect_rates(rates({"\xF0\x9F\x90\xB1"}, {{"\xF0\x9F\x90\xB6"}}), 100.0, 100.0);
    // A byte that is not UTF-8 is a character.
    expect_rates(rates({"ab\xFF"}, {{"ab\xFE"}}), 100.0 / 3, 100.0);
    expect_rates(rates({"ab\xFF"}, {{"ab\xFF"}}), 0.0, 0.0);
}

TEST(ErrorRate, CaseCountsUnlessAskedOtherwise) {
    expect_rates(rates({"Ein Mann"}, {{"ein mann"}}), 25.0, 100.0);
    ErrorRateOptions lower;
    lower.lowercase = true;
    expect_rates(rates({"Ein M\xC3\x84NNER"}, {{"ein m\xC3\xA4nner"}}, lower), 0.0, 0.0);
}

TEST(ErrorRate, TheClosestReferenceCountsWithItsLength) {
    // 1 edit against the second, 4 and 6 against the others.
    expect_rates(rates({"abcde"}, {{"a"}, {"abcd"}, {"abcdefghijk"}}), 25.0, 100.0);
    // Both are one edit away; the longer has the lower rate, in any order.
    expect_rates(rates({"abcde"}, {{"abcd"}, {"abcdef"}}), 100.0 / 6, 100.0);
    expect_rates(rates({"abcde"}, {{"abcdef"}, {"abcd"}}), 100.0 / 6, 100.0);
    // Each unit has its own closest one.
    expect_rates(rates({"a b"}, {{"a xxxxxxxx"}, {"ab"}}), 50.0, 50.0);
}

TEST(ErrorRate, EmptyTexts) {
    expect_rates(rates({""}, {{""}}), 0.0, 0.0);
    expect_rates(rates({"abc"}, {{""}}), 100.0, 100.0);
    expect_rates(rates({""}, {{"abc d"}}), 100.0, 100.0);
    // Without length of its own, the first sentence still adds its edits.
    expect_rates(rates({"abc", "x"}, {{"", "xyz"}}), 100.0 * 5 / 3, 200.0);
}

TEST(ErrorRate, NamesAndSignatures) {
    ErrorRateOptions lower;
    lower.lowercase = true;
    const auto cer = make_error_rate(ErrorUnit::character, {});
    const auto wer = make_error_rate(ErrorUnit::word, lower);
    EXPECT_EQ(cer->key(), "cer");
    EXPECT_EQ(wer->key(), "wer");
    EXPECT_EQ(cer->name(), "CER");
    EXPECT_EQ(wer->name(), "WER");
    EXPECT_FALSE(cer->higher_is_better());
    EXPECT_EQ(cer->signature({1, {}, {}, {}}), "nrefs:1|case:mixed|norm:nfc|ref:closest");
    EXPECT_EQ(wer->signature({0, 1000, {}, 7}), "nrefs:var|bs:1000|seed:7|case:lc|norm:nfc|ref:closest");
    const double sums[] = {3, 12};
    EXPECT_EQ(nlohmann::json::parse(cer->details(sums)), (nlohmann::json{{"num_edits", 3}, {"ref_length", 12.0}}));
}

// Against the definition, sentence by sentence.
TEST(ErrorRate, RandomTexts) {
    Random random(9);
    std::vector<std::string> hypotheses;
    std::vector<std::vector<std::string>> references(3);
    double edits = 0.0;
    double length = 0.0;
    const auto text = [&] {
        const std::string letters = "ab cde ";
        std::string made = "x";
        for (std::uint64_t i = random.below(150); i > 0; --i) {
            made += letters[random.below(letters.size())];
        }
        return made + "y";
    };
    const auto symbols = [](const std::string& characters) { return Symbols(characters.begin(), characters.end()); };
    for (int i = 0; i < 60; ++i) {
        hypotheses.push_back(text());
        std::int64_t fewest = -1;
        std::size_t chosen = 0;
        for (auto& stream : references) {
            stream.push_back(text());
            const std::int64_t distance = plain_distance(symbols(stream.back()), symbols(hypotheses.back()));
            if (fewest < 0 || distance < fewest || (distance == fewest && stream.back().size() > chosen)) {
                fewest = distance;
                chosen = stream.back().size();
            }
        }
        edits += static_cast<double>(fewest);
        length += static_cast<double>(chosen);
    }
    EXPECT_DOUBLE_EQ(rates(hypotheses, references).cer, 100.0 * edits / length);
}

TEST(NormalFormC, ComposesAndKeepsTheRest) {
    EXPECT_EQ(normalize_nfc(""), "");
    EXPECT_EQ(normalize_nfc("plain ASCII, \xC3\xA9"), "plain ASCII, \xC3\xA9");
    EXPECT_EQ(normalize_nfc("e\xCC\x81"), "\xC3\xA9");
    EXPECT_EQ(normalize_nfc("\xE2\x84\xAB"), "\xC3\x85");                               // the Angstrom sign
    EXPECT_EQ(normalize_nfc("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), "\xED\x95\x9C");   // Hangul from its letters
    EXPECT_EQ(normalize_nfc("a\xCC\xA3\xCC\x82"), normalize_nfc("a\xCC\x82\xCC\xA3"));  // the order of marks
    EXPECT_EQ(normalize_nfc("\xE0\xA5\x98"), "\xE0\xA4\x95\xE0\xA4\xBC");  // a character that is decomposed
    EXPECT_EQ(normalize_nfc("\xF0\x9D\x84\x9E \xEF\xAC\x81"),
              "\xF0\x9D\x84\x9E \xEF\xAC\x81");  // beyond 16 bits; a ligature
    EXPECT_EQ(normalize_nfc("\xFF"
                            "e\xCC\x81\xED\xA0\x80\xCC"),
              "\xFF\xC3\xA9\xED\xA0\x80\xCC");  // bytes that are not UTF-8
}

}  // namespace
}  // namespace softalign
