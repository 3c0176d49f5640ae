#include "document/abbreviations.h"

#include <gtest/gtest.h>

#include <string>

#include "text/fixtures.h"

namespace softalign {
namespace {

TEST(Abbreviations, AreThoseOfTheLanguage) {
    EXPECT_TRUE(Abbreviations("en").continues("Mrs.", "Brown"));
    EXPECT_FALSE(Abbreviations("de").continues("Mrs.", "Brown"));
    EXPECT_TRUE(Abbreviations("de").continues("z.B.", "Brot"));
    EXPECT_FALSE(Abbreviations("en").continues("boats.", "They"));
    EXPECT_FALSE(Abbreviations("en").continues("Mrs", "Brown"));
    EXPECT_FALSE(Abbreviations("en").continues(".", "Brown"));
    EXPECT_TRUE(Abbreviations("xx").continues("\xC3\x89.", "Zola"));
}

TEST(Abbreviations, SomeOnlyBeforeNumbers) {
    EXPECT_TRUE(Abbreviations("en").continues("No.", "5"));
    EXPECT_FALSE(Abbreviations("en").continues("No.", "Then"));
    EXPECT_TRUE(Abbreviations("en").continues("al.", "(2019)"));
    EXPECT_TRUE(Abbreviations("de").continues("3.", "Oktober"));
    EXPECT_FALSE(Abbreviations("de").continues("1999.", "Dann"));
    EXPECT_FALSE(Abbreviations("en").continues("3.", "Then"));
}

TEST(Abbreviations, SomeUnlessASentenceBegins) {
    EXPECT_TRUE(Abbreviations("en").continues("Inc.", "Chief Executive"));
    EXPECT_FALSE(Abbreviations("en").continues("Inc.", "The company"));
    EXPECT_FALSE(Abbreviations("en").continues("Inc.", "\"However, it"));
    EXPECT_TRUE(Abbreviations("en").continues("Inc.", "In-House Services"));
    EXPECT_TRUE(Abbreviations("en").continues("Dr.", "The"));
    EXPECT_FALSE(Abbreviations("en").continues("B.", "The"));
    EXPECT_TRUE(Abbreviations("en").continues("K.", "He et al."));
    EXPECT_TRUE(Abbreviations("en").continues("J.", "A. Smith"));
    EXPECT_FALSE(Abbreviations("de").continues("5.", "Die Leute"));
    EXPECT_TRUE(Abbreviations("de").continues("5.", "(dritten)"));
    EXPECT_TRUE(Abbreviations("fr").continues("J.", "Le Brun"));
    EXPECT_FALSE(Abbreviations("fr").continues("janv.", "Le train"));
}

TEST(Abbreviations, AFileAddsMore) {
    const TemporaryFolder folder;
    Abbreviations abbreviations("en");
    abbreviations.read(folder.write("list", "# of ships\nHMS.\nMV\n\nhull #NUMERIC_ONLY#\n"));
    EXPECT_TRUE(abbreviations.continues("HMS.", "Victory"));
    EXPECT_TRUE(abbreviations.continues("MV.", "Ever"));
    EXPECT_TRUE(abbreviations.continues("hull.", "7"));
    EXPECT_FALSE(abbreviations.continues("hull.", "She"));
    const std::string bad = folder.write("bad", "HMS\ntwo words\n");
    EXPECT_TRUE(has(error_of(ExitCode::data, [&] { abbreviations.read(bad); }), "bad:2"));
    const std::string bytes = folder.write("bytes", "H\xFF\n");
    EXPECT_TRUE(has(error_of(ExitCode::data, [&] { abbreviations.read(bytes); }), "bytes:1:2"));
}

}  // namespace
}  // namespace softalign
