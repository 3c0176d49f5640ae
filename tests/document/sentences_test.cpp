#include "document/sentences.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "document/text_range.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

std::vector<std::string> sentences(const std::string& text, const std::string& locale = "en") {
    std::vector<std::string> result;
    for (const TextRange& range : SentenceSplitter(locale).split(text)) {
        result.emplace_back(range.of(text));
    }
    return result;
}

using Texts = std::vector<std::string>;

TEST(Sentences, EndWithAFullStopAQuestionOrAnExclamation) {
    EXPECT_EQ(sentences("  A dog runs. Where to?  Home!\tIt sleeps "),
              (Texts{"A dog runs.", "Where to?", "Home!", "It sleeps"}));
    EXPECT_EQ(sentences("He paid 3.50 at example.com. \"Why?\" he asked. (She left.) Then he went."),
              (Texts{"He paid 3.50 at example.com.", "\"Why?\" he asked.", "(She left.)", "Then he went."}));
    EXPECT_EQ(sentences(" \t "), Texts());
    EXPECT_EQ(sentences(""), Texts());
}

TEST(Sentences, AbbreviationsAndInitialsDoNotEndThem) {
    EXPECT_EQ(sentences("Mr. Smith met Dr. J. Brown, e.g. Tuesday. No. 5 was right. No. He left."),
              (Texts{"Mr. Smith met Dr. J. Brown, e.g. Tuesday.", "No. 5 was right.", "No.", "He left."}));
    EXPECT_EQ(sentences("You and I. She too."), (Texts{"You and I.", "She too."}));
    EXPECT_EQ(sentences("Am 3. Oktober kam Dr. Maier. Er blieb.", "de"),
              (Texts{"Am 3. Oktober kam Dr. Maier.", "Er blieb."}));
    EXPECT_EQ(sentences("It is 25. Then he left."), (Texts{"It is 25.", "Then he left."}));
}

TEST(Sentences, OfATextInSmallLetters) {
    EXPECT_EQ(sentences("a man rides . two dogs run. (one barks.) three birds sing"),
              (Texts{"a man rides .", "two dogs run. (one barks.)", "three birds sing"}));
    EXPECT_EQ(sentences("a file x.txt is here. etc"), (Texts{"a file x.txt is here.", "etc"}));
    EXPECT_EQ(sentences("hello mr. smith. e.g. a dog, i.e. this one. take plan b. then we go on. go"),
              (Texts{"hello mr. smith.", "e.g. a dog, i.e. this one.", "take plan b.", "then we go on.", "go"}));
    EXPECT_EQ(sentences("j. r. r. tolkien wrote it. on y va. écoute ! oui"),
              (Texts{"j. r. r. tolkien wrote it.", "on y va.", "écoute !", "oui"}));
    EXPECT_EQ(sentences("хлеб и т. д. для дома, см. список", "ru"), Texts{"хлеб и т. д. для дома, см. список"});
}

TEST(Sentences, DoNotEndInsideNamesAndNumbers) {
    EXPECT_EQ(sentences("We use .NET Core and (.PDF) files. Section 2.A and /etc/.Xauthority. Next"),
              (Texts{"We use .NET Core and (.PDF) files.", "Section 2.A and /etc/.Xauthority.", "Next"}));
    EXPECT_EQ(sentences("He left in 2019.Then he ran .Now it is \"here\".Go"),
              (Texts{"He left in 2019.", "Then he ran .", "Now it is \"here\".", "Go"}));
    EXPECT_EQ(sentences("Il a dit : « Oui. » Elle part. Fin.", "fr"),
              (Texts{"Il a dit : « Oui. » Elle part.", "Fin."}));
    EXPECT_EQ(sentences("Er sagt ja. »Gut«, sagt sie.", "de"), (Texts{"Er sagt ja.", "»Gut«, sagt sie."}));
    EXPECT_EQ(sentences("A las 5 p. m. El tren sale. En EE. UU. Viven p. ej. Ana. Fin.", "es"),
              (Texts{"A las 5 p. m.", "El tren sale.", "En EE. UU. Viven p. ej. Ana.", "Fin."}));
    EXPECT_EQ(sentences("Das gilt i. d. R. Montags.", "de"), (Texts{"Das gilt i. d. R. Montags."}));
    EXPECT_EQ(sentences("Er hat u. a. Hunde, d. h. Tiere. Gut.", "de"),
              (Texts{"Er hat u. a. Hunde, d. h. Tiere.", "Gut."}));
}

TEST(Sentences, OfScriptsWithoutSpaces) {
    EXPECT_EQ(sentences("你好。他走了！她呢？", "zh"), (Texts{"你好。", "他走了！", "她呢？"}));
    EXPECT_EQ(sentences("これは本です。 面白い。", "ja"), (Texts{"これは本です。", "面白い。"}));
}

TEST(Sentences, AnObjectIsAName) {
    const std::string object(object_mark);
    EXPECT_EQ(sentences("See " + object + ". " + object + " is good."),
              (Texts{"See " + object + ".", object + " is good."}));
}

TEST(Sentences, ALanguageHasToExist) {
    EXPECT_TRUE(has(error_of(ExitCode::usage, [] { SentenceSplitter splitter("xx"); }), "'xx'"));
    EXPECT_TRUE(has(error_of(ExitCode::usage, [] { SentenceSplitter splitter(""); }), "language"));
    EXPECT_EQ(SentenceSplitter("de_CH").split("Ja.").size(), 1U);
}

}  // namespace
}  // namespace softalign
