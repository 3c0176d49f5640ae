#include "translate/document_translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "toy_translator.h"
#include "translate/batch_translator.h"
#include "translate/format.h"

namespace softalign {
namespace {

std::vector<TranslatedParagraph> translate(const ToyTranslator& toy, const std::vector<std::string>& paragraphs,
                                           std::size_t longest = 1000) {
    BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
    DocumentOptions options;
    options.longest = longest;
    std::vector<TranslatedParagraph> found;
    DocumentTranslator(translator, {toy.source, toy.target}, options)
        .translate(paragraphs, [&](std::vector<TranslatedParagraph> part) {
            std::move(part.begin(), part.end(), std::back_inserter(found));
        });
    return found;
}

std::string alone(const ToyTranslator& toy, const std::string& sentence) {
    return toy.translate({sentence}).front().front().text;
}

TEST(DocumentTranslator, TranslatesEachSentenceByItself) {
    const ToyTranslator toy;
    const auto found = translate(toy, {"5 6 7! 8 9?  10 11", "", "12 13"});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].restored.text, alone(toy, "5 6 7!") + " " + alone(toy, "8 9?") + "  " + alone(toy, "10 11"));
    EXPECT_EQ(found[0].sentences.size(), 3U);
    EXPECT_EQ(found[1].restored.text, "");
    EXPECT_EQ(found[1].sentences.size(), 0U);
    EXPECT_EQ(found[2].restored.text, alone(toy, "12 13"));
}

TEST(DocumentTranslator, KeepsTheWhiteSpaceOfParagraphs) {
    const ToyTranslator toy;
    const auto found = translate(toy, {"  \t5 6 ", "   "});
    EXPECT_EQ(found[0].restored.text, "  \t" + alone(toy, "5 6") + " ");
    EXPECT_EQ(found[1].restored.text, "   ");
}

TEST(DocumentTranslator, CutsWhatIsLongerThanTheModelKnows) {
    const ToyTranslator toy;
    const auto found = translate(toy, {"5 6 7 8 9 10"}, 3);
    ASSERT_EQ(found.front().sentences.size(), 2U);
    EXPECT_EQ(found.front().sentences[0].front().source, "5 6 7");
    EXPECT_EQ(found.front().sentences[1].front().source, "8 9 10");
}

TEST(DocumentTranslator, IsTheSameInAnyNumberOfParts) {
    ToyTranslator toy;
    const std::vector<std::string> paragraphs{"", "5 6! 7 8! 9 10", "11 12", " ", "13! 14 15"};
    const auto whole = translate(toy, paragraphs);
    toy.options.answer_bytes = 1;
    const auto parts = translate(toy, paragraphs);
    ASSERT_EQ(parts.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_EQ(parts[i].restored.text, whole[i].restored.text);
        EXPECT_EQ(parts[i].source, paragraphs[i]);
    }
}

TEST(DocumentTranslator, AParagraphIsOneObjectOfJson) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    toy.options.keep_words = true;
    const TranslatedParagraph paragraph = translate(toy, {"5 6! 7 8"}).front();
    const auto json = nlohmann::json::parse(paragraph_line(4, paragraph, {toy.source, toy.target}, false));
    EXPECT_EQ(json["index"], 4);
    EXPECT_EQ(json["source"], "5 6! 7 8");
    EXPECT_EQ(json["text"], paragraph.restored.text);
    ASSERT_EQ(json["sentences"].size(), 2U);
    EXPECT_EQ(json["sentences"][1]["index"], 1);
    EXPECT_EQ(json["sentences"][1]["source"], "7 8");
    EXPECT_EQ(json["sentences"][1]["translations"].size(), 2U);
}

}  // namespace
}  // namespace softalign
