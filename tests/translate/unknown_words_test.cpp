#include "translate/unknown_words.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "number_tokenizer.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

using AttentionRows = std::vector<std::vector<float>>;

const PieceWords source_words = {{"the", "Obama", "dog"}, {{0, 1}, {1, 2}, {2, 3}}};

// Weights that each look at one position of three words and the end of the source.
AttentionRows looking_at(const std::vector<std::size_t>& positions) {
    AttentionRows weights;
    for (const std::size_t position : positions) {
        weights.emplace_back(4, 0.1F);
        weights.back()[position] = 0.7F;
    }
    return weights;
}

TEST(ReplaceUnknown, WritesTheWordOfTheGreatestWeight) {
    const NumberTokenizer target(20);
    const Dictionary none;
    const std::vector<std::int32_t> ids = {1, 7, 1, 8, 9, 1};
    EXPECT_EQ(replace_unknown({ids, looking_at({1, 0, 2, 0, 0, 0})}, source_words, target, none),
              "Obama 7 dog 8 9 the");
    EXPECT_EQ(replace_unknown({{7, 8}, looking_at({0, 0})}, source_words, target, none), "7 8");
    EXPECT_EQ(replace_unknown({{}, {}}, source_words, target, none), "");
}

TEST(ReplaceUnknown, TheFirstOfEqualWeightsAndNothingForTheEndOfTheSource) {
    const NumberTokenizer target(20);
    const Dictionary none;
    EXPECT_EQ(replace_unknown({{1, 7}, {{0.2F, 0.4F, 0.4F, 0.0F}, {1, 0, 0, 0}}}, source_words, target, none),
              "Obama 7");
    EXPECT_EQ(replace_unknown({{7, 1, 8}, looking_at({0, 3, 0})}, source_words, target, none), "7 8");
    EXPECT_EQ(replace_unknown({{1}, looking_at({3})}, source_words, target, none), "");
}

TEST(ReplaceUnknown, TranslatesByTheDictionary) {
    const TemporaryFolder folder;
    const Dictionary dictionary(folder.write("words", "dog\tkleiner Hund\n"));
    EXPECT_EQ(replace_unknown({{1, 1}, looking_at({2, 1})}, source_words, NumberTokenizer(20), dictionary),
              "kleiner Hund Obama");
}

TEST(ReplaceUnknown, WritesAllWordsOfAPiece) {
    const TemporaryFolder folder;
    const Dictionary dictionary(folder.write("words", "York\tJork\n"));
    const PieceWords source = {{"in", "New", "York"}, {{0, 1}, {1, 3}}};
    const AttentionRows weights = {{0.25F, 0.5F, 0.25F}, {1.0F, 0.0F, 0.0F}};
    EXPECT_EQ(replace_unknown({{1, 7}, weights}, source, NumberTokenizer(20), dictionary), "New Jork 7");
}

// Text around the words that are put in is what decoding gives.
TEST(ReplaceUnknown, KeepsTheTextOfTheKnownPieces) {
    const TemporaryFolder folder;
    for (const VocabularyType type : {VocabularyType::word, VocabularyType::bpe, VocabularyType::unigram}) {
        VocabularyConfig config;
        config.type = type;
        const SentencePieceTokenizer target(train_sample(folder, config, 120));
        const std::int32_t unk = target.special().unk;
        std::vector<std::int32_t> ids = target.encode("gartenkeit altung");
        const std::size_t middle = ids.size();
        ids.push_back(unk);
        const std::vector<std::int32_t> rest = target.encode("wald kinder");
        ids.insert(ids.end(), rest.begin(), rest.end());
        AttentionRows weights(ids.size(), {1.0F, 0.0F, 0.0F, 0.0F});
        weights[middle] = {0.0F, 1.0F, 0.0F, 0.0F};
        EXPECT_EQ(replace_unknown({ids, weights}, source_words, target, Dictionary()),
                  "gartenkeit altung Obama wald kinder");
    }
}

}  // namespace
}  // namespace softalign
