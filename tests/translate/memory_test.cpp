// Translation and counting where memory is short.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "number_tokenizer.h"
#include "platform/memory.h"
#include "platform/tight_memory.h"
#include "translate/attention_counter.h"
#include "translate/batch_translator.h"

namespace softalign {
namespace {

constexpr std::int32_t words = 20000;

std::vector<std::string> sentences() {
    Random random(4);
    std::vector<std::string> result(128);
    for (std::string& sentence : result) {
        for (int word = 0; word < 40; ++word) {
            sentence += std::to_string(4 + random.below(words - 4)) + " ";
        }
    }
    return result;
}

void translate_with_less_and_less_memory() {
    ModelConfig config;
    config.embedding_size = 8;
    config.encoder.hidden_size = 16;
    config.decoder.hidden_size = 16;
    config.attention.size = 16;
    config.init.weights = Initializer::normal;
    config.init.scale = 0.7;
    Seq2Seq model(config, VocabularySizes{words, words});
    model.initialize(3);
    const NumberTokenizer tokenizer(words);
    TranslateOptions options;
    options.workers = 2;
    options.search.max_length = 4;
    options.search.beam = 3;
    BatchTranslator translator(model, tokenizer, tokenizer, options);
    const std::vector<std::string> texts = sentences();
    const auto expected = translator.translate(texts);
    ASSERT_EQ(translator.short_of_memory(), 0);

    constexpr std::uint64_t mebibyte = 1 << 20;
    for (std::uint64_t room = 64; room > 0; room = room * 4 / 5) {
        SCOPED_TRACE(std::to_string(room) + " MiB");
        std::vector<std::vector<Translation>> found;
        try {
            const TightMemory tight(room * mebibyte);
            found = translator.translate(texts);
        } catch (const std::exception& error) {
            EXPECT_TRUE(is_out_of_memory(error)) << error.what();
            break;
        }
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i].size(), 1U);
            EXPECT_EQ(found[i].front().text, expected[i].front().text);
            EXPECT_NEAR(found[i].front().log_prob, expected[i].front().log_prob, 1e-4);
        }
    }
    EXPECT_GT(translator.short_of_memory(), 0);
}

std::unique_ptr<Seq2Seq> small_model() {
    ModelConfig config;
    config.embedding_size = 8;
    config.encoder.hidden_size = 8;
    config.decoder.hidden_size = 8;
    config.attention.size = 8;
    auto model = std::make_unique<Seq2Seq>(config, VocabularySizes{40, 40});
    model->initialize(3);
    return model;
}

std::string numbers(int count) {
    std::string sentence;
    for (int word = 0; word < count; ++word) {
        sentence += std::to_string(4 + word % 36) + " ";
    }
    return sentence;
}

// Much attention, of which only a part may be there at a time.
void translate_with_little_memory_for_attention() {
    const std::unique_ptr<Seq2Seq> small = small_model();
    const Seq2Seq& model = *small;
    const NumberTokenizer tokenizer(40);
    TranslateOptions options;
    options.search.min_length = options.search.max_length = 50;
    options.search.min_length_ratio = options.search.max_length_ratio = 1.0;
    options.search.beam = options.search.n_best = 4;
    options.keep_attention = true;
    options.answer_bytes = std::size_t{8} << 20;
    BatchTranslator translator(model, tokenizer, tokenizer, options);
    const std::string sentence = numbers(300);
    const std::vector<std::string> texts(320, sentence);  // 77 MB of attention
    std::size_t weights = 0;
    const auto count = [&](const std::vector<std::vector<Translation>>& part) {
        for (const std::vector<Translation>& found : part) {
            for (const Translation& translation : found) {
                weights += translation.attention.size() * translation.attention.front().size();
            }
        }
    };
    translator.translate({sentence, sentence}, count);
    weights = 0;
    const TightMemory tight(std::uint64_t{48} << 20);
    translator.translate(texts, count);
    EXPECT_EQ(weights, texts.size() * 4 * 51 * 301);
    EXPECT_EQ(translator.short_of_memory(), 0);
}

// 48 MB of it.
void count_with_little_memory_for_attention() {
    const std::unique_ptr<Seq2Seq> small = small_model();
    const Seq2Seq& model = *small;
    const NumberTokenizer tokenizer(40);
    AttentionCounter counter(model, tokenizer, tokenizer, {1, 1}, std::size_t{1} << 20);
    const SentencePair pair{numbers(80), numbers(200)};  // even attention is above the least weight that counts
    counter.add({pair, pair});
    const TightMemory tight(std::uint64_t{24} << 20);
    counter.add(std::vector<SentencePair>(250, pair));
    EXPECT_EQ(counter.pairs(), 252);
    EXPECT_GT(counter.counts().best(4, 100).size(), 20U);
}

TEST(TranslatorMemoryDeathTest, AttentionIsCountedInParts) {
    expect_success_in_own_process(count_with_little_memory_for_attention);
}

TEST(TranslatorMemoryDeathTest, AttentionIsGivenAwayInParts) {
    expect_success_in_own_process(translate_with_little_memory_for_attention);
}

TEST(TranslatorMemoryDeathTest, ABatchTooLargeIsTranslatedInParts) {
    expect_success_in_own_process(translate_with_less_and_less_memory);
}

}  // namespace
}  // namespace softalign
