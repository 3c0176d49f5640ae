#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "number_tokenizer.h"
#include "translate/batch_translator.h"

namespace softalign {

// A small random model between two languages of numbers.
struct ToyTranslator {
    static constexpr std::int32_t source_size = 40;
    static constexpr std::int32_t target_size = 30;

    NumberTokenizer source{source_size};
    NumberTokenizer target{target_size};
    std::shared_ptr<Seq2Seq> model;
    TranslateOptions options;

    explicit ToyTranslator(AttentionType attention = AttentionType::additive) {
        ModelConfig config;
        config.embedding_size = 12;
        config.encoder.hidden_size = 10;
        config.decoder.hidden_size = 14;
        config.attention.size = 9;
        config.attention.type = attention;
        config.init.weights = Initializer::normal;
        config.init.scale = 0.7;
        model = std::make_shared<Seq2Seq>(config, VocabularySizes{source_size, target_size});
        model->initialize(3);
        options.search.beam = 3;
        options.search.n_best = 2;
        options.search.batch_size = 4;
        options.search.max_length_ratio = 1.5;
        options.search.max_length_offset = 3;
    }

    std::vector<std::vector<Translation>> translate(const std::vector<std::string>& sentences) const {
        BatchTranslator translator(*model, source, target, options);
        auto found = translator.translate(sentences);
        translator.warn();
        return found;
    }
};

inline std::vector<std::string> random_sentences(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::string> sentences(count);
    for (std::string& sentence : sentences) {
        for (std::uint64_t words = 1 + random.below(14); words > 0; --words) {
            sentence += std::to_string(4 + random.below(ToyTranslator::source_size - 4)) + " ";
        }
    }
    return sentences;
}

inline void expect_same(const std::vector<Translation>& actual, const std::vector<Translation>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_EQ(actual[i].text, expected[i].text);
        EXPECT_EQ(actual[i].ids, expected[i].ids);
        EXPECT_EQ(actual[i].source_ids, expected[i].source_ids);
        EXPECT_NEAR(actual[i].log_prob, expected[i].log_prob, 1e-4);
        EXPECT_NEAR(actual[i].score, expected[i].score, 1e-4);
        ASSERT_EQ(actual[i].attention.size(), expected[i].attention.size());
        for (std::size_t t = 0; t < actual[i].attention.size(); ++t) {
            ASSERT_EQ(actual[i].attention[t].size(), expected[i].attention[t].size());
            for (std::size_t s = 0; s < actual[i].attention[t].size(); ++s) {
                EXPECT_NEAR(actual[i].attention[t][s], expected[i].attention[t][s], 1e-4);
            }
        }
    }
}

}  // namespace softalign
