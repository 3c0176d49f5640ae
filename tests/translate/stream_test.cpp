#include "translate/stream.h"

#include <gtest/gtest.h>

#include "toy_translator.h"

namespace softalign {
namespace {

struct StreamResult {
    std::vector<std::string> texts;
    std::vector<std::size_t> read_at_write;  // sentences read when each was written
    int chunks = 0;
};

StreamResult stream(const ToyTranslator& toy, const std::vector<std::string>& sentences, std::int64_t chunk) {
    BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
    StreamResult result;
    std::size_t next = 0;
    StreamOptions options;
    options.chunk = chunk;
    options.after_chunk = [&] { ++result.chunks; };
    translate_stream(
        translator,
        [&](TranslationRequest& request) {
            if (next == sentences.size()) {
                return false;
            }
            request.text = sentences[next++];
            return true;
        },
        [&](std::int64_t index, const std::vector<Translation>& translations) {
            EXPECT_EQ(index, static_cast<std::int64_t>(result.texts.size()));
            result.texts.push_back(translations.front().text);
            result.read_at_write.push_back(next);
        },
        options);
    EXPECT_EQ(translator.sentences(), static_cast<std::int64_t>(sentences.size()));
    return result;
}

TEST(TranslateStream, GivesWhatOneCallGives) {
    const ToyTranslator toy;
    const std::vector<std::string> sentences = random_sentences(23, 6);
    const auto expected = toy.translate(sentences);
    for (const std::int64_t chunk : {1, 5, 23, 24, 1000}) {
        const StreamResult result = stream(toy, sentences, chunk);
        ASSERT_EQ(result.texts.size(), sentences.size());
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            EXPECT_EQ(result.texts[i], expected[i].front().text);
        }
    }
}

TEST(TranslateStream, ReadsNoFurtherThanAChunkAhead) {
    const StreamResult result = stream(ToyTranslator(), random_sentences(7, 6), 3);
    EXPECT_EQ(result.read_at_write, (std::vector<std::size_t>{3, 3, 3, 6, 6, 6, 7}));
    EXPECT_GE(result.chunks, 3);
    EXPECT_EQ(stream(ToyTranslator(), random_sentences(2, 6), 1).read_at_write, (std::vector<std::size_t>{1, 2}));
}

TEST(TranslateStream, NothingInNothingOut) {
    EXPECT_TRUE(stream(ToyTranslator(), {}, 4).texts.empty());
}

}  // namespace
}  // namespace softalign
