#include "translate/output_faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"
#include "toy_translator.h"

namespace softalign {
namespace {

// Every word is a piece.
OutputFault fault(const std::string& text, const std::string& source, const std::vector<std::string>& asked = {}) {
    std::map<std::string, std::int32_t> ids;
    const auto pieces_of = [&](const std::string& of) {
        std::vector<std::int32_t> pieces;
        for (const std::string_view word : words_of(of)) {
            pieces.push_back(ids.try_emplace(std::string(word), static_cast<std::int32_t>(ids.size())).first->second);
        }
        return pieces;
    };
    const std::vector<std::int32_t> pieces = pieces_of(text);
    const std::vector<std::int32_t> source_pieces = pieces_of(source);
    return fault_of({pieces, text, source_pieces, source, asked});
}

TEST(OutputFaults, ALoopFollowsItselfMoreOftenThanTheSource) {
    EXPECT_EQ(fault("ein mann und ein mann und ein mann und", "a man and a dog"), OutputFault::loop);
    EXPECT_EQ(fault("so ja ja ja ja", "oh yes"), OutputFault::loop);
    EXPECT_EQ(fault("ja ja ja ja", "yes yes yes yes"), OutputFault::none);
    EXPECT_EQ(fault("ja ja ja ja ja ja", "yes yes yes"), OutputFault::loop);
    EXPECT_EQ(fault("so ja ja ja", "oh yes"), OutputFault::none);
    EXPECT_EQ(fault("ein mann und ein mann und", "a man and a woman"), OutputFault::none);
    EXPECT_EQ(fault("", "a"), OutputFault::none);
}

TEST(OutputFaults, ALoopMayHaveOtherWordsInBetween) {
    const std::string text = "ein mann in rot , ein mann in blau , ein mann in gelb";
    EXPECT_EQ(fault(text, "three men in red , blue and yellow"), OutputFault::loop);
    EXPECT_EQ(fault(text, "a man in red , a man in blue , a man in yellow"), OutputFault::none);
}

TEST(OutputFaults, ACopyHasTheWordsOfTheSource) {
    EXPECT_EQ(fault("A dog runs over grass", "a dog runs over the grass"), OutputFault::copy);
    EXPECT_EQ(fault("a dog runs over gras", "a dog runs over the grass"), OutputFault::copy);
    EXPECT_EQ(fault("ein hund rennt over grass", "a dog runs over the grass"), OutputFault::none);
    EXPECT_EQ(fault("grass over runs dog a", "a dog runs over the grass"), OutputFault::none);  // no copy in this order
    EXPECT_EQ(fault("Angela Merkel , 1954", "Angela Merkel , 1954"), OutputFault::none);
    EXPECT_EQ(fault("1 2 3 4 5 .", "1 2 3 4 5 ."), OutputFault::none);
}

TEST(OutputFaults, WhatWasAskedForIsNoCopy) {
    const std::string text = "New York Stock Exchange heute";
    EXPECT_EQ(fault(text, "New York Stock Exchange today"), OutputFault::copy);
    EXPECT_EQ(fault(text, "New York Stock Exchange today", {"New York"}), OutputFault::none);
}

// A random model goes in circles.
TEST(Repair, LoopsAreSearchedAgain) {
    ToyTranslator toy;
    toy.options.search.max_length_ratio = 4.0;
    toy.options.search.length_alpha = 2.0;
    const std::vector<std::string> sentences = random_sentences(60, 5);
    const auto before = toy.translate(sentences);
    toy.options.repair = true;
    BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
    const auto after = translator.translate(sentences);
    std::int64_t faulty = 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto ids = [](const Translation& translation) {
            return std::vector<std::int32_t>(translation.source_ids.begin(), translation.source_ids.end() - 1);
        };
        const Translation& was = before[i].front();
        const Translation& is = after[i].front();
        const bool looped = fault_of({was.ids, was.text, ids(was), was.source, {}}) == OutputFault::loop;
        faulty += looped ? 1 : 0;
        EXPECT_EQ(is.fault, looped ? OutputFault::loop : OutputFault::none);
        EXPECT_EQ(is.repaired, looped);
        EXPECT_EQ(is.ids == was.ids, !looped) << is.text;
        EXPECT_EQ(fault_of({is.ids, is.text, ids(is), is.source, {}}), OutputFault::none) << is.text;
    }
    EXPECT_GT(faulty, 0);
    EXPECT_LT(faulty, 60);
    EXPECT_EQ(translator.faulty(), faulty);
    EXPECT_EQ(translator.repaired(), faulty);
}

// Whose words are letters, which a translation may copy.
class LetterTokenizer : public NumberTokenizer {
public:
    using NumberTokenizer::NumberTokenizer;
    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const std::string_view word : words_of(text)) {
            ids.push_back(4 + (word.front() - 'a'));
        }
        return ids;
    }
    std::string piece(std::int32_t id) const override { return std::string(1, static_cast<char>('a' + (id - 4))); }
};

// What a random model writes for a text is put in the place of its source, until it is the same for some sentence.
TEST(Repair, CopiesAreSearchedAgain) {
    ToyTranslator toy;
    const LetterTokenizer letters(24);
    ModelConfig config;
    config.embedding_size = 12;
    config.encoder.hidden_size = 10;
    config.decoder.hidden_size = 14;
    config.init.weights = Initializer::normal;
    config.init.scale = 0.7;
    Seq2Seq model(config, VocabularySizes{24, 24});
    model.initialize(3);
    TranslateOptions options;
    options.search.beam = 3;
    options.search.min_length = 6;
    options.search.no_repeat_ngram = 1;  // no loops
    std::vector<std::string> texts = {"a b c d e f"};
    const auto translated = [&](bool repair) {
        options.repair = repair;
        BatchTranslator translator(model, letters, letters, options);
        return translator.translate(texts).front().front();
    };
    for (int i = 0; i < 100 && fault(translated(false).text, texts.front()) != OutputFault::copy; ++i) {
        texts.front() = translated(false).text;
    }
    const Translation copy = translated(false);
    ASSERT_EQ(fault(copy.text, texts.front()), OutputFault::copy) << copy.text << " of " << texts.front();
    const Translation repaired = translated(true);
    EXPECT_EQ(repaired.fault, OutputFault::copy);
    EXPECT_TRUE(repaired.repaired);
    EXPECT_EQ(fault(repaired.text, texts.front()), OutputFault::none) << repaired.text;
}

}  // namespace
}  // namespace softalign
