#include "translate/document_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/random.h"
#include "document/html_text.h"
#include "number_tokenizer.h"

namespace softalign {
namespace {

// The text with each sentence as its own translation, or with what `change` makes of it.
std::string joined(const SourceDocument& document, const std::string& prefix = "") {
    std::vector<Translation> translations;
    for (const TranslationRequest& request : document.requests()) {
        Translation translation;
        translation.source = request.text;
        translation.text = prefix + request.text;
        translations.push_back(translation);
    }
    std::vector<const Translation*> best;
    for (const Translation& translation : translations) {
        best.push_back(&translation);
    }
    return document.joined(best);
}

std::vector<std::string> sentences(const SourceDocument& document) {
    std::vector<std::string> texts;
    for (const TranslationRequest& request : document.requests()) {
        texts.push_back(request.text);
    }
    return texts;
}

std::string without_spaces(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

class DocumentReaderTest : public testing::Test {
protected:
    NumberTokenizer tokenizer_{40};
    DocumentReader reader_{tokenizer_, {}};
    TextForm lines_{false, Markup::none};
    TextForm html_{true, Markup::html};
};

using Texts = std::vector<std::string>;

TEST_F(DocumentReaderTest, WhatIsNotTranslatedStays) {
    const SourceDocument text = reader_.read("\n  One two. Three?\t\r\n\n \nthree");
    EXPECT_EQ(sentences(text), (Texts{"One two.", "Three?", "three"}));
    EXPECT_EQ(joined(text, "+"), "\n  +One two. +Three?\t\r\n\n \n+three");
    EXPECT_EQ(joined(reader_.read("")), "");
    EXPECT_EQ(joined(reader_.read(" \n")), " \n");
    EXPECT_EQ(sentences(reader_.read("One two. Three?\nA", lines_)), (Texts{"One two. Three?", "A"}));
}

TEST_F(DocumentReaderTest, JoinedAsItWasItIsTheSame) {
    Random random(3);
    const std::string letters = "Ab. \n\t\r";
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (std::size_t length = random.below(20); text.size() < length;) {
            text += letters[random.below(letters.size())];
        }
        for (const TextForm& form : {TextForm(), lines_}) {
            const SourceDocument document = reader_.read(text, form);
            // Sentences without a space between them get one.
            EXPECT_EQ(form.split ? without_spaces(joined(document)) : joined(document),
                      form.split ? without_spaces(text) : text);
            for (const std::string& sentence : sentences(document)) {
                EXPECT_FALSE(sentence.empty() || sentence.find('\n') != std::string::npos);
            }
        }
    }
}

TEST_F(DocumentReaderTest, TranslatesTheTextOfHtml) {
    if (!reads_html()) {
        GTEST_SKIP() << "built without libgumbo";
    }
    const std::string html =
        "<html><!-- a --><p class='x'>\r\n One <b>two</b>.\n  Three &lt;four&gt;? </p>\n<p>&copy; 5</p><pre>six</pre>";
    const SourceDocument text = reader_.read(html, html_);
    EXPECT_EQ(sentences(text), (Texts{"One two.", "Three <four>?"}));
    EXPECT_EQ(joined(text), html);
    EXPECT_EQ(joined(text, "+ "),
              "<html><!-- a --><p class='x'>\r\n + One <b>two</b>.\n  + Three &lt;four&gt;? </p>\n<p>&copy; "
              "5</p><pre>six</pre>");
    EXPECT_EQ(joined(reader_.read("", html_)), "");
    EXPECT_EQ(joined(reader_.read("<p>", html_)), "<p>");
}

TEST_F(DocumentReaderTest, OfManyTermsTheFirstAreUsed) {
    Glossary glossary;
    std::string text = "one";
    Texts expected;
    for (int i = 0; i < 70; ++i) {
        const std::string term = "term" + std::to_string(i);
        const std::string translation = std::to_string(4 + i % 30);
        glossary.add(term, translation, tokenizer_);
        text += " " + term;
        if (expected.size() < 64) {
            expected.push_back(translation);
        }
    }
    const SourceDocument document = reader_.read("term3\n" + text, {true, Markup::none, false, &glossary});
    ASSERT_EQ(document.requests().size(), 2U);
    EXPECT_EQ(document.requests()[0].phrases, Texts{"7"});
    EXPECT_EQ(document.requests()[1].phrases, expected);
    EXPECT_EQ(document.warning(),
              "more than 64 terms of the glossary in 1 of 2 sentences; the first 64 of each are used");
    EXPECT_EQ(reader_.read("term3", {true, Markup::none, false, &glossary}).warning(), "");
}

// Each is compared with its neighbours only.
TEST_F(DocumentReaderTest, KeepsManySpansOfALine) {
    std::string text;
    for (int i = 0; i < 40000; ++i) {
        text += "8.1 abc, 9/9/99 ";
    }
    const SourceDocument document = reader_.read(text, {true, Markup::none, true, nullptr});
    EXPECT_EQ(joined(document), text);
}

}  // namespace
}  // namespace softalign
