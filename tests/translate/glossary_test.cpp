#include "translate/glossary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "number_tokenizer.h"

namespace softalign {
namespace {

using Texts = std::vector<std::string>;

Texts translations_of(const Glossary& glossary, const std::string& text) {
    Texts all;
    for (const Glossary::Found& term : glossary.find(text)) {
        all.push_back(term.translation);
    }
    return all;
}

class GlossaryTest : public testing::Test {
protected:
    std::string fault(const std::string& text) const {
        try {
            Glossary(folder_.write("glossary", text), target_);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::data);
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
    NumberTokenizer target_{30};
};

TEST_F(GlossaryTest, TakesTheLongestTermOfWholeWords) {
    const Glossary glossary(folder_.write("glossary", "# animals\nred dog\t10 11\n\ndog\t12\nDog\t13\nIT\t14\n"),
                            target_);
    EXPECT_EQ(glossary.size(), 4U);
    EXPECT_EQ(translations_of(glossary, "a red dog, a dog."), (Texts{"10 11", "12"}));
    EXPECT_EQ(translations_of(glossary, "Red DOG"), (Texts{"10 11"}));
    EXPECT_EQ(translations_of(glossary, "Dog it IT"), (Texts{"13", "14"}));
    EXPECT_EQ(translations_of(glossary, "hotdog dogs red, dog"), (Texts{"12"}));
    EXPECT_EQ(translations_of(glossary, ""), Texts());
}

TEST_F(GlossaryTest, FindsTermsBetweenPunctuationAndInTextWithoutSpaces) {
    const Glossary glossary(folder_.write("glossary", "dog\t10\ncat\t11\nwell-known\t12\n苹果\t13\n5\t14\n"), target_);
    EXPECT_EQ(translations_of(glossary, "(dog/cat)dog,cat"), (Texts{"10", "11", "10", "11"}));
    EXPECT_EQ(translations_of(glossary, "well-known dog-cat 3.5 1,5 dog.com cat@dog"), (Texts{"12"}));
    EXPECT_EQ(translations_of(glossary, "我吃红苹果。苹"), (Texts{"13"}));
}

TEST_F(GlossaryTest, SpellingsThatLookAlikeAreTheSame) {
    const Glossary no(folder_.write("no", "no\t10\n"), target_);
    EXPECT_EQ(translations_of(no, "NO \u2116 5"), Texts{"10"});
    EXPECT_NE(fault("\u00AD\t10\n").find("empty"), std::string::npos);
    const std::string cafe = "caf\u00E9";
    const Glossary glossary(
        folder_.write("glossary", cafe + "\t10\nwoman's\t11\nwell-known\t12\nstra\u00DFe\t13\nStrasse\t14\nfish\t15\n"),
        target_);
    EXPECT_EQ(translations_of(glossary, "cafe\u0301 Cafe\u0301 CAF\u00C9"), (Texts{"10", "10", "10"}));
    EXPECT_EQ(translations_of(glossary, "the woman\u2019s well\u2011known wo\u00ADman\u2019s"),
              (Texts{"11", "12", "11"}));
    EXPECT_EQ(translations_of(glossary, "Stra\u00DFe STRASSE Strasse \uFB01sh"), (Texts{"13", "13", "14", "15"}));
    EXPECT_EQ(translations_of(Glossary(folder_.write("other", "strasse\t10\nstra\u00DFe\t11\n"), target_),
                              "stra\u00DFe strasse STRASSE"),
              (Texts{"11", "10", "10"}));
}

// Whose words would be compared at each place of the text for a time that grows with its cube.
TEST_F(GlossaryTest, TermsMayBeLong) {
    const auto times = [](int count, const std::string& word) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += word;
        }
        return text;
    };
    const Glossary glossary(folder_.write("glossary", times(20000, "dog ") + "\t10\ndog cat\t11\ndog\t12\n"), target_);
    EXPECT_EQ(translations_of(glossary, times(20000, "fish ")), Texts());
    EXPECT_EQ(translations_of(glossary, "dog dog cat Dog"), (Texts{"12", "11", "12"}));
    EXPECT_EQ(translations_of(glossary, times(20000, "dog ")), (Texts{"10"}));
}

TEST_F(GlossaryTest, SaysWhereItIsWrong) {
    EXPECT_NE(fault("dog\t12\ncat\n").find(":2: not an entry"), std::string::npos);
    EXPECT_NE(fault("a\tb\tc\n").find(":1: not an entry"), std::string::npos);
    EXPECT_NE(fault("\t12\n").find(":1: a term of the glossary is empty"), std::string::npos);
    EXPECT_NE(fault("dog\t12\ncat\t13\ndog\t14\n").find(":3: the glossary translates dog as 12 and as 14"),
              std::string::npos);
    EXPECT_NE(fault("dog\t\n").find(":1: the glossary has no translation of 'dog'"), std::string::npos);
    EXPECT_NE(fault("dog\t\xff\n").find("UTF-8"), std::string::npos);
    EXPECT_NE(fault("dog\t" + std::string(1001, '1') + "\n").find("at most 1000"), std::string::npos);
}

}  // namespace
}  // namespace softalign
