#include "translate/word_boundaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/words.h"
#include "translate/batch_translator.h"

namespace softalign {
namespace {

class WordBoundariesTest : public testing::TestWithParam<VocabularyType> {
protected:
    std::shared_ptr<const Tokenizer> vocabulary() const {
        VocabularyConfig config;
        config.type = GetParam();
        const std::string path = folder_.path("vocabulary");
        std::vector<std::string> sentences = sample_sentences();
        sentences.insert(sentences.end(), 50, "haus-baum, \"wald\" (kind's) _7_ \xE4\xBD\xA0\xE5\xA5\xBD.");
        train_vocabulary_on(sentences, config, 90, path);
        return load_tokenizer(path);
    }

    TemporaryFolder folder_;
};

TEST_P(WordBoundariesTest, AreAtSpacesAndPunctuation) {
    const auto tokenizer = vocabulary();
    const WordBoundaries words = word_boundaries(*tokenizer);
    ASSERT_EQ(words.begins.size(), static_cast<std::size_t>(tokenizer->size()));
    const std::string in_word = "abcdefghijklmnopqrstuvwxyz7_-'\xC3";
    for (std::size_t id = 0; id < words.begins.size(); ++id) {
        const std::string text = tokenizer->spelling(static_cast<std::int32_t>(id));
        EXPECT_EQ(words.begins[id], text.empty() || in_word.find(text.front()) == std::string::npos) << text;
    }
    EXPECT_TRUE(std::any_of(words.begins.begin(), words.begins.end(), [](bool begins) { return !begins; }) ||
                GetParam() == VocabularyType::word);
}

// Of a random model, which writes whatever it likes around them.
class WholeWords : public testing::TestWithParam<bool> {};

std::size_t times_as_words(const std::string& text, const std::vector<std::string>& terms) {
    std::size_t count = 0;
    const auto words = words_of(text);
    for (const std::string& term : terms) {
        count += std::count(words.begin(), words.end(), term) > 0 ? 1 : 0;
    }
    return count;
}

TEST_P(WholeWords, AreInTheTranslationAsWordsOfTheirOwn) {
    TemporaryFolder folder;
    VocabularyConfig vocabulary;
    vocabulary.type = VocabularyType::bpe;
    const auto tokenizer = load_tokenizer(train_sample(folder, vocabulary, 60));
    ModelConfig config;
    config.embedding_size = 12;
    config.encoder.hidden_size = 10;
    config.decoder.hidden_size = 14;
    config.decoder.reverse_target = GetParam();
    config.init.weights = Initializer::normal;
    config.init.scale = 0.7;
    Seq2Seq model(config, VocabularySizes{tokenizer->size(), tokenizer->size()});
    model.initialize(3);
    TranslateOptions options;
    options.search.beam = 3;
    std::vector<TranslationRequest> requests;
    const std::vector<std::string> terms = {"haus", "kind", "lauf", "spielen"};
    for (const std::string& sentence : sample_sentences()) {
        if (requests.size() < 60) {
            requests.push_back({sentence, "", {terms[requests.size() % 4], terms[(requests.size() + 1) % 4]}});
        }
    }
    const auto count = [&] {
        BatchTranslator translator(model, *tokenizer, *tokenizer, options);
        const auto found = translator.translate(requests);
        std::size_t words = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            words += times_as_words(found[i].front().text, requests[i].phrases);
        }
        return words;
    };
    EXPECT_LT(count(), 120U);
    options.whole_words = std::make_shared<const WordBoundaries>(word_boundaries(*tokenizer));
    EXPECT_EQ(count(), 120U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WordBoundariesTest,
                         testing::Values(VocabularyType::bpe, VocabularyType::unigram, VocabularyType::character,
                                         VocabularyType::word));
INSTANTIATE_TEST_SUITE_P(Directions, WholeWords, testing::Bool());

}  // namespace
}  // namespace softalign
