#include "translate/batch_translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "toy_translator.h"

namespace softalign {
namespace {

using Found = std::vector<std::vector<Translation>>;

std::size_t bytes_of(const std::vector<Translation>& translations) {
    std::size_t bytes = 0;
    for (const Translation& translation : translations) {
        bytes += softalign::bytes_of(translation);
    }
    return bytes;
}

std::string long_sentence(std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) {
        text += std::to_string(4 + i % 36) + " ";
    }
    return text;
}

// Outputs of n_best, each as long as it may be.
TranslateOptions long_outputs(std::int64_t length, std::int64_t n_best) {
    TranslateOptions options = ToyTranslator().options;
    options.search.beam = options.search.n_best = n_best;
    options.search.min_length = options.search.max_length = length;
    options.search.min_length_ratio = options.search.max_length_ratio = 100.0;
    options.keep_attention = true;
    return options;
}

TEST(AnswerSize, NoTranslationTakesMoreThanTheEstimate) {
    const ToyTranslator toy;
    const EnsembleMember member{*toy.model, toy.source, toy.target, "toy"};
    const Ensemble ensemble({member, member}, {});
    for (const std::int64_t length : {1, 7, 64, 65, 130}) {
        for (const bool attention : {true, false}) {
            for (const bool all : {true, false}) {
                TranslateOptions options = long_outputs(length, all ? 3 : 1);
                options.keep_attention = attention;
                options.keep_words = all;
                options.keep_model_log_probs = all;
                SentenceEncoder encoder(ensemble, options);
                const TranslationRequest request{long_sentence(30), "", {}};
                const std::size_t estimate =
                    most_answer_bytes(encoder.encode(request), options, all ? 2 : 0, attention);
                BatchTranslator translator(ensemble, options);
                const Found found = translator.translate(std::vector<TranslationRequest>{request});
                ASSERT_EQ(found[0].size(), all ? 3U : 1U);
                ASSERT_EQ(found[0][0].ids.size(), static_cast<std::size_t>(length));
                EXPECT_LE(bytes_of(found[0]), estimate);
                if (attention && length > 60) {
                    EXPECT_GT(2 * bytes_of(found[0]), estimate);
                }
            }
        }
    }
}

TEST(AnswerSize, ConstraintsCount) {
    const ToyTranslator toy;
    const EnsembleMember member{*toy.model, toy.source, toy.target, "toy"};
    const Ensemble ensemble({member}, {});
    SentenceEncoder encoder(ensemble, toy.options);
    const TranslationRequest request{"5 6 7", long_sentence(100), {long_sentence(20)}};
    EncodedSentence sentence = encoder.encode(request);
    const std::size_t all = most_answer_bytes(sentence, toy.options, 0, false);
    ASSERT_GE(sentence.task.prefix.nodes.size(), 100U);
    const std::size_t start = 100 * (sizeof(std::vector<PrefixGraph::Edge>) + sizeof(PrefixGraph::Edge));
    sentence.task.prefix = {};
    const std::size_t phrases = most_answer_bytes(sentence, toy.options, 0, false);
    EXPECT_GE(all, phrases + start);
    sentence.task.phrases.clear();
    EXPECT_GE(phrases, most_answer_bytes(sentence, toy.options, 0, false) + 20 * sizeof(std::int32_t));
}

// Beside a longer sentence the rows of the batch are longer.
TEST(AnswerSize, PaddingTakesNothing) {
    const ToyTranslator toy;
    BatchTranslator translator(*toy.model, toy.source, toy.target, long_outputs(20, 1));
    const Found alone = translator.translate(std::vector<std::string>{"5 6"});
    const Found beside = translator.translate(std::vector<std::string>{"5 6", long_sentence(50)});
    EXPECT_EQ(bytes_of(beside[0]), bytes_of(alone[0]));
}

TEST(AnswerSize, PartsKeepToTheLimit) {
    const ToyTranslator toy;
    std::vector<std::string> sentences = random_sentences(40, 9);
    for (const std::size_t number : {3, 17, 18, 39}) {
        sentences[number] = long_sentence(150);
    }
    sentences[5] = sentences[20] = "";
    TranslateOptions options = toy.options;
    options.keep_attention = options.keep_words = true;
    BatchTranslator whole(*toy.model, toy.source, toy.target, options);
    const Found expected = whole.translate(sentences);
    options.answer_bytes = std::size_t{1} << 16;
    BatchTranslator translator(*toy.model, toy.source, toy.target, options);
    Found actual;
    std::size_t largest = 0;
    std::size_t parts = 0;
    translator.translate(sentences, [&](const Found& part) {
        std::size_t bytes = 0;
        for (const std::vector<Translation>& translations : part) {
            bytes += bytes_of(translations);
        }
        EXPECT_TRUE(part.size() == 1 || bytes <= options.answer_bytes) << part.size() << " take " << bytes;
        EXPECT_FALSE(part.empty());
        ++parts;
        largest = std::max(largest, part.size());
        actual.insert(actual.end(), part.begin(), part.end());
    });
    EXPECT_GE(parts, 5U);
    EXPECT_GT(largest, 1U);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        ASSERT_EQ(actual[i].size(), expected[i].size());
        for (std::size_t n = 0; n < actual[i].size(); ++n) {
            EXPECT_EQ(actual[i][n].source, sentences[i]);
            EXPECT_EQ(actual[i][n].text, expected[i][n].text);
            EXPECT_NEAR(actual[i][n].score, expected[i][n].score, 1e-4);
            EXPECT_EQ(actual[i][n].attention.size(), expected[i][n].attention.size());
        }
    }
}

TEST(AnswerSize, WithoutAttentionPartsAreLarge) {
    const ToyTranslator toy;
    TranslateOptions options = toy.options;
    options.answer_bytes = std::size_t{1} << 20;
    BatchTranslator translator(*toy.model, toy.source, toy.target, options);
    std::vector<std::size_t> parts;
    translator.translate(std::vector<std::string>(8, long_sentence(100)),
                         [&](const Found& part) { parts.push_back(part.size()); });
    EXPECT_EQ(parts, std::vector<std::size_t>{8});
}

}  // namespace
}  // namespace softalign
