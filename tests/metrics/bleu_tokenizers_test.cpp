#include "metrics/tokenizers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace softalign {
namespace {

// The tokens with one space between them.
std::string tokens(std::string_view text, BleuTokenizer tokenizer) {
    const std::string tokenized = tokenize_for_bleu(text, tokenizer);
    std::string joined;
    for (const std::string_view word : split_words(tokenized)) {
        joined += (joined.empty() ? "" : " ") + std::string(word);
    }
    return joined;
}

std::string tokens_13a(std::string_view text) {
    return tokens(text, BleuTokenizer::t13a);
}
std::string tokens_intl(std::string_view text) {
    return tokens(text, BleuTokenizer::intl);
}
std::string tokens_zh(std::string_view text) {
    return tokens(text, BleuTokenizer::zh);
}

TEST(Tokenizer13a, SeparatesAsciiPunctuation) {
    EXPECT_EQ(tokens_13a("a!b\"c#d$e%f&g(h)i*j+k/l:m;n<o=p>q?r@s[t\\u]v^w_x`y{z|A}B~C"),
              "a ! b \" c # d $ e % f & g ( h ) i * j + k / l : m ; n < o = p > q ? r @ s [ t \\ u ] v ^ w _ x ` y { z "
              "| A } B ~ C");
    EXPECT_EQ(tokens_13a("don't re-enter"), "don't re-enter");
}

TEST(Tokenizer13a, PeriodsAndCommasStayInsideNumbersOnly) {
    EXPECT_EQ(tokens_13a("1,000.50 a.b c,d"), "1,000.50 a . b c , d");
    EXPECT_EQ(tokens_13a("End."), "End .");
    EXPECT_EQ(tokens_13a("In 1999."), "In 1999 .");
    EXPECT_EQ(tokens_13a(".5 5. ,5"), ". 5 5 . , 5");
    EXPECT_EQ(tokens_13a("a..b...c,,"), "a . . b . . . c , ,");
    EXPECT_EQ(tokens_13a("1.,2"), "1 . , 2");
    EXPECT_EQ(tokens_13a("é.è"), "é . è");
    EXPECT_EQ(tokens_13a("٣.٤"), "٣ . ٤");  // only ASCII digits count
}

TEST(Tokenizer13a, HyphenIsSeparatedAfterADigit) {
    EXPECT_EQ(tokens_13a("3-1 a-1 1-a 5--"), "3 - 1 a-1 1 - a 5 - -");
    EXPECT_EQ(tokens_13a("-5"), "-5");
}

TEST(Tokenizer13a, EntitiesAndSkippedMarks) {
    EXPECT_EQ(tokens_13a("&quot;a&quot; &amp; b&lt;c&gt; d"), "\" a \" & b < c > d");
    EXPECT_EQ(tokens_13a("&amp;lt;"), "<");  // decoded one after the other
    EXPECT_EQ(tokens_13a("&apos; &Amp;"), "& apos ; & Amp ;");
    EXPECT_EQ(tokens_13a("a<skipped>b <skip<skipped>ped>"), "ab < skipped >");
    EXPECT_EQ(tokens_13a("un-\nited\nnations"), "united nations");
}

TEST(Tokenizer13a, AnythingThatIsSpaceSeparates) {
    EXPECT_EQ(tokens_13a("a\xC2\xA0"
                         "b\xE3\x80\x80"
                         "c\td\x1F"
                         "e"),
              "a b c d e");
    EXPECT_EQ(tokens_13a("\xE2\x80\x8B"), "\xE2\x80\x8B");  // zero width, no space
    EXPECT_EQ(tokens_13a(""), "");
    EXPECT_EQ(tokens_13a("  "), "");
}

TEST(TokenizerIntl, SeparatesUnicodePunctuationAndSymbols) {
    EXPECT_EQ(tokens_intl("„Ja“, sagte er… «Oui»"), "„ Ja “ , sagte er … « Oui »");
    EXPECT_EQ(tokens_intl("5€+3£ I♥NY😀👍🏽"), "5 € + 3 £ I ♥ NY 😀 👍 🏽");
    EXPECT_EQ(tokens_intl("don't re-enter"), "don ' t re - enter");
}

TEST(TokenizerIntl, PunctuationStaysBetweenNumbers) {
    EXPECT_EQ(tokens_intl("1,000.5 ½.² ٣.٤ 3-1"), "1,000.5 ½.² ٣.٤ 3-1");
    EXPECT_EQ(tokens_intl("in 1999."), "in 1999.");  // nothing follows: as in mteval-v14
    EXPECT_EQ(tokens_intl("in 1999. "), "in 1999 .");
    EXPECT_EQ(tokens_intl(".5"), ".5");
    EXPECT_EQ(tokens_intl("&amp;"), "& amp ;");
}

TEST(TokenizerZh, EachChineseCharacterIsAToken) {
    EXPECT_EQ(tokens_zh("我有3.5公斤apples，好。"), "我 有 3.5 公 斤 apples ， 好 。");
    EXPECT_EQ(tokens_zh("Ａ（ｱ）ㄅ"), "Ａ （ ｱ ） ㄅ");
    EXPECT_EQ(tokens_zh("カナ한글"), "カナ한글");
    EXPECT_EQ(tokens_zh(".5 end."), ".5 end .");  // nothing stands before the line, unlike 13a
}

TEST(TokenizerZh, TakesGeneralPunctuationForChineseAndExtensionBNot) {
    EXPECT_EQ(tokens_zh("“a…b”→c"), "“ a … b ” → c");
    EXPECT_EQ(tokens_zh("𠀀𠀁"), "𠀀𠀁");
}

TEST(TokenizerCharacter, EachCodePointIsAToken) {
    EXPECT_EQ(tokens("aé 中👍🏽.", BleuTokenizer::character), "a é 中 👍 🏽 .");
    EXPECT_EQ(tokens("e\xCC\x81", BleuTokenizer::character), "e \xCC\x81");
}

TEST(TokenizerNone, LeavesTheText) {
    EXPECT_EQ(tokens("a, b.  c", BleuTokenizer::none), "a, b. c");
}

TEST(Tokenizers, KeepBytesThatAreNotUtf8) {
    for (const std::string& name : bleu_tokenizer_names()) {
        EXPECT_EQ(tokens("\xFF\xC3", *find_bleu_tokenizer(name)), name == "char" ? "\xFF \xC3" : "\xFF\xC3") << name;
    }
}

}  // namespace
}  // namespace softalign
