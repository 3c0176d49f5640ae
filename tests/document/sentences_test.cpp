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

TEST(Sentences, AbbreviationsWithOthersBesideThem) {
    EXPECT_EQ(sentences("The U.S. Senate met. He left the U.S. She too."),
              (Texts{"The U.S. Senate met.", "He left the U.S.", "She too."}));
    EXPECT_EQ(sentences("See sec. 4.2. It took a sec. Then", "en"), (Texts{"See sec. 4.2.", "It took a sec.", "Then"}));
    EXPECT_EQ(sentences("Die Meier & Co. KG und Dipl.-Ing. Hahn, Hauptstr. 5, o. Ä., i. A. Kunz. Ja.", "de"),
              (Texts{"Die Meier & Co. KG und Dipl.-Ing. Hahn, Hauptstr. 5, o. Ä., i. A. Kunz.", "Ja."}));
    EXPECT_EQ(sentences("Gem. § 5, Urt. v. 3. Mai, an Dr. h. c. Otto v. Ehr am 5. d. M. Ende.", "de"),
              Texts{"Gem. § 5, Urt. v. 3. Mai, an Dr. h. c. Otto v. Ehr am 5. d. M. Ende."});
    EXPECT_EQ(sentences("J.-P. Sartre, bd. Voltaire. Oui.", "fr"), (Texts{"J.-P. Sartre, bd. Voltaire.", "Oui."}));
    EXPECT_EQ(sentences("Il sig. Rossi nel sec. XIX. Poi no.", "it"),
              (Texts{"Il sig. Rossi nel sec. XIX.", "Poi no."}));
    EXPECT_EQ(sentences("Город Орёл, ул. Ленина, рис. 3. В 1980 г. Да.", "ru"),
              (Texts{"Город Орёл, ул. Ленина, рис. 3.", "В 1980 г.", "Да."}));
}

TEST(Sentences, EndWithAnAbbreviationBeforeAWordThatBeginsOne) {
    EXPECT_EQ(
        sentences("He joined Apple Inc. The firm grew. Apple Inc. Chief Tim Cook left the U.S. It was Dec. 5."),
        (Texts{"He joined Apple Inc.", "The firm grew.", "Apple Inc. Chief Tim Cook left the U.S.", "It was Dec. 5."}));
    EXPECT_EQ(
        sentences("The U.S. Military came at 5 p.m. EST. At 5 p.m. The train left. On Main St. A man sat."),
        (Texts{"The U.S. Military came at 5 p.m. EST.", "At 5 p.m.", "The train left.", "On Main St.", "A man sat."}));
    EXPECT_EQ(
        sentences("Take vitamin C. It helps. K. He et al. (2019) and J. A. Smith agree. Plan B. Then go."),
        (Texts{"Take vitamin C.", "It helps.", "K. He et al. (2019) and J. A. Smith agree.", "Plan B.", "Then go."}));
    EXPECT_EQ(
        sentences("Im 19. Jh. Die Stadt wuchs um 5 Mio. Das war am 5. Die Leute gingen im 2. (Wiener) Bezirk.", "de"),
        (Texts{"Im 19. Jh.", "Die Stadt wuchs um 5 Mio.", "Das war am 5.", "Die Leute gingen im 2. (Wiener) Bezirk."}));
    EXPECT_EQ(sentences("M. Le Pen et J. Le Roux vont chez Roux et Cie. Ils paient en déc. La fin.", "fr"),
              (Texts{"M. Le Pen et J. Le Roux vont chez Roux et Cie.", "Ils paient en déc.", "La fin."}));
}

TEST(Sentences, MayBeginWithANumberOrASign) {
    EXPECT_EQ(
        sentences("It blew up at noon. 20 people died. $3 million was lost. \u20AC5 is much. iPads fell."),
        (Texts{"It blew up at noon.", "20 people died.", "$3 million was lost.", "\u20AC5 is much.", "iPads fell."}));
    EXPECT_EQ(sentences("See No. 5 of it, Apt. 4 too, approx. 20 people. In 2019. 5 more."),
              (Texts{"See No. 5 of it, Apt. 4 too, approx. 20 people.", "In 2019.", "5 more."}));
    EXPECT_EQ(
        sentences("He had 2 hr. 30 min. left, c. 1850 or Jun. 5 in all, etc. 5 days, 1, 2, \u2026 10 of 1. 20 runs."),
        Texts{"He had 2 hr. 30 min. left, c. 1850 or Jun. 5 in all, etc. 5 days, 1, 2, \u2026 10 of 1. 20 runs."});
    EXPECT_EQ(sentences("Art. 5 ust. 2 pkt, godz. 15 w domu.", "pl"), Texts{"Art. 5 ust. 2 pkt, godz. 15 w domu."});
    EXPECT_EQ(sentences("Die Bombe explodierte. 20 Menschen starben. Am 5. 6 Leute.", "de"),
              (Texts{"Die Bombe explodierte.", "20 Menschen starben.", "Am 5. 6 Leute."}));
}

TEST(Sentences, EndWithAnEllipsis) {
    EXPECT_EQ(sentences("Wait\u2026 What? He said\u2026 nothing. \"Well\u2026\" She left."),
              (Texts{"Wait\u2026", "What?", "He said\u2026 nothing.", "\"Well\u2026\"", "She left."}));
    EXPECT_EQ(sentences("\u5929\u54EA\u2026\u2026\u4ED6\u8D70\u4E86\u3002", "zh"),
              Texts{"\u5929\u54EA\u2026\u2026\u4ED6\u8D70\u4E86\u3002"});
}

TEST(Sentences, WithAbbreviationsThatResembleOtherWords) {
    EXPECT_EQ(
        sentences("Die max. Höhe. Vgl. Abb. 3. Er ging.[3] Vgl. Kapitel 5. Die Rechnungsnr. 5 fehlt. Johann S. Bach.",
                  "de"),
        (Texts{"Die max. Höhe.", "Vgl. Abb. 3.", "Er ging.[3]", "Vgl. Kapitel 5.", "Die Rechnungsnr. 5 fehlt.",
               "Johann S. Bach."}));
    EXPECT_EQ(sentences("Das ist \u2026 Unsinn. Frankfurt a. d. Oder.", "de"),
              (Texts{"Das ist \u2026 Unsinn.", "Frankfurt a. d. Oder."}));
    EXPECT_EQ(sentences("Elle aime l'art. L'été aussi. L'art. L. 5 dit.", "fr"),
              (Texts{"Elle aime l'art.", "L'été aussi.", "L'art. L. 5 dit."}));
    EXPECT_EQ(
        sentences(
            "Traders await the Fed. Stocks rose. In the U.S. It\u2019s big. A. The defendant moved. Fed. R. Civ."),
        (Texts{"Traders await the Fed.", "Stocks rose.", "In the U.S.", "It\u2019s big.", "A. The defendant moved.",
               "Fed. R. Civ."}));
    EXPECT_EQ(sentences("Cesare morì nel 44 a.C. Augusto gli succedette.", "it"),
              (Texts{"Cesare morì nel 44 a.C.", "Augusto gli succedette."}));
}

TEST(Sentences, OfRussianYearsAndCities) {
    EXPECT_EQ(sentences("В г. Омск он жил в 1980 г. Да. От 05.03.2020 г. № 5. До н. э. Рим и ул. Кирова.", "ru"),
              (Texts{"В г. Омск он жил в 1980 г.", "Да.", "От 05.03.2020 г. № 5.", "До н. э.", "Рим и ул. Кирова."}));
}

TEST(Sentences, AbbreviationsThatBeginThem) {
    EXPECT_EQ(sentences("Approx. 5 left. (Cf. Fig. 2.) Vol. 3 is here."),
              (Texts{"Approx. 5 left.", "(Cf. Fig. 2.)", "Vol. 3 is here."}));
    EXPECT_EQ(sentences("Vgl. Kapitel 5. Er heißt Max. Er kam. Max. 5 Personen.", "de"),
              (Texts{"Vgl. Kapitel 5.", "Er heißt Max.", "Er kam.", "Max. 5 Personen."}));
}

TEST(Sentences, FrenchQuotationsBeforePunctuation) {
    EXPECT_EQ(sentences("Il dit : « Oui ! », puis part. « Non. ». Elle vient.", "fr"),
              (Texts{"Il dit : « Oui ! », puis part.", "« Non. ».", "Elle vient."}));
    EXPECT_EQ(sentences("L'art. L. 121-1 le dit. Fin.", "fr"), (Texts{"L'art. L. 121-1 le dit.", "Fin."}));
}

TEST(Sentences, AbbreviationsBehindOtherSigns) {
    EXPECT_EQ(sentences("\u201CDr. Smith\u201D, \u2014Mr. Lee, *Mr. Lee*, Mr./Mrs. Ray, MR. ROY. He left."),
              (Texts{"\u201CDr. Smith\u201D, \u2014Mr. Lee, *Mr. Lee*, Mr./Mrs. Ray, MR. ROY.", "He left."}));
    EXPECT_EQ(sentences("J.R.R. Tolkien and G.W. Bush left L.A. He has an M.A. She too."),
              (Texts{"J.R.R. Tolkien and G.W. Bush left L.A.", "He has an M.A.", "She too."}));
    EXPECT_EQ(sentences("\u201EDr. Ei\u201C vom 3.\u20135. Mai. Am 3./4. Juni. Ja.", "de"),
              (Texts{"\u201EDr. Ei\u201C vom 3.\u20135. Mai.", "Am 3./4. Juni.", "Ja."}));
    EXPECT_EQ(sentences("L'av. Foch et «M. Roux». Il a raté son vol. Oui.", "fr"),
              (Texts{"L'av. Foch et «M. Roux».", "Il a raté son vol.", "Oui."}));
}

TEST(Sentences, OfWordsThatOnlyResembleAbbreviations) {
    EXPECT_EQ(sentences("It fell to 5 °C. Snow fell. (OK.) He left."),
              (Texts{"It fell to 5 °C.", "Snow fell.", "(OK.)", "He left."}));
    EXPECT_EQ(sentences("It needs 230 V. At 1.5 A. M. it stops. In 1999 V. Lee and 7 others left, 12 W. Yes."),
              (Texts{"It needs 230 V.", "At 1.5 A. M. it stops.", "In 1999 V. Lee and 7 others left, 12 W.", "Yes."}));
    EXPECT_EQ(sentences("L'ing. Rossi è qui. L'avv. Neri no.", "it"),
              (Texts{"L'ing. Rossi è qui.", "L'avv. Neri no."}));
}

TEST(Sentences, MarksThatTouchTheirEnd) {
    EXPECT_EQ(sentences("Rome was big.(1) It fell.(See below.) **Note.** Read *it.* Go `now.` Yes"),
              (Texts{"Rome was big.", "(1) It fell.", "(See below.)", "**Note.**", "Read *it.*", "Go `now.`", "Yes"}));
}

TEST(Sentences, ReferencesToNotesBelongToThem) {
    EXPECT_EQ(
        sentences(
            "Rome was big.[1][2] It fell.12 See Fig.1 The end.\u00B9 \u201CIt is.\u201D3 He ran.[note 4] No v2.1 Yes"),
        (Texts{"Rome was big.[1][2]", "It fell.12", "See Fig.1 The end.\u00B9", "\u201CIt is.\u201D3",
               "He ran.[note 4]", "No v2.1 Yes"}));
}

TEST(Sentences, OfSeveralSpeakers) {
    EXPECT_EQ(sentences("- Hello! - Hi. \u2013 [Man] Stop! - he said."),
              (Texts{"- Hello!", "- Hi.", "\u2013 [Man] Stop! - he said."}));
    EXPECT_EQ(sentences("\u2014Sí. \u2014\u00BFVienes? \u2014pregunta.", "es"),
              (Texts{"\u2014Sí.", "\u2014\u00BFVienes? \u2014pregunta."}));
    EXPECT_EQ(sentences("He left. \u2014 They stayed."), Texts{"He left. \u2014 They stayed."});
}

TEST(Sentences, AcronymsWithSpacesMayEndThem) {
    EXPECT_EQ(sentences("Vive en EE. UU. Trabaja. En 44 a. C. Murió.", "es"),
              (Texts{"Vive en EE. UU.", "Trabaja.", "En 44 a. C.", "Murió."}));
    EXPECT_EQ(sentences("En 100 av. J.-C. Il mourut.", "fr"), (Texts{"En 100 av. J.-C.", "Il mourut."}));
    EXPECT_EQ(sentences("He left the U. S. Then S. A. Lee did."), (Texts{"He left the U. S.", "Then S. A. Lee did."}));
    EXPECT_EQ(sentences("Der Turnverein e. V. in Frankfurt a. M. 3:2 n. V. Ja.", "de"),
              Texts{"Der Turnverein e. V. in Frankfurt a. M. 3:2 n. V. Ja."});
    EXPECT_EQ(sentences("Het is koud. 's Avonds kouder.", "nl"), (Texts{"Het is koud.", "'s Avonds kouder."}));
}

TEST(Sentences, TheNumberOfAnItemIsNone) {
    EXPECT_EQ(sentences("a. Open it."), Texts{"a. Open it."});
    EXPECT_EQ(sentences("1. Open the door. 2. Close it. In 1999. Yes."),
              (Texts{"1. Open the door.", "2. Close it.", "In 1999.", "Yes."}));
    for (const char* marks :
         {"- ", "1. ", "**", "(", "\"", ">", "- [x] ", "- [ ] ", "_", "[", "## **", "1. 2. - b. "}) {
        for (const char* item : {"a. ", "1. "}) {
            const std::string text = std::string(marks) + item + "Open the door.";
            EXPECT_EQ(sentences(text), Texts{text});
        }
    }
    for (const char* item : {"**1.**", "(1.)", "[a.]", "1.)"}) {
        const std::string text = std::string(item) + " Open it.";
        EXPECT_EQ(sentences(text + " Go."), (Texts{text, "Go."}));
    }
    EXPECT_EQ(sentences("Wait ... Then go. We are 5. Two dogs."),
              (Texts{"Wait ...", "Then go.", "We are 5.", "Two dogs."}));
    EXPECT_EQ(sentences("How much? $5. That is cheap. #1. Then he left."),
              (Texts{"How much?", "$5.", "That is cheap.", "#1.", "Then he left."}));
    EXPECT_EQ(sentences("Who did it? \"I.\" She left."), (Texts{"Who did it?", "\"I.\"", "She left."}));
    for (const char* space : {" \t", "\u00a0", "\u3000"}) {
        EXPECT_EQ(sentences(std::string(space) + "- I. - You lie."), (Texts{"- I.", "- You lie."}));
    }
    EXPECT_EQ(sentences("- Who did it? - I. - You lie."), (Texts{"- Who did it?", "- I.", "- You lie."}));
    EXPECT_EQ(sentences("\u2014\u00bfCuántos? \u20145. \u2014Muy bien.", "es"),
              (Texts{"\u2014\u00bfCuántos?", "\u20145.", "\u2014Muy bien."}));
    std::string items;
    for (int i = 0; i < 30000; ++i) {
        items += "1. ";
    }
    EXPECT_EQ(sentences(items + "Open it. Go."), (Texts{items + "Open it.", "Go."}));
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
              (Texts{"Il a dit : « Oui. »", "Elle part.", "Fin."}));
    EXPECT_EQ(sentences("« Oui. » dit-elle. « Non. »", "fr"), (Texts{"« Oui. » dit-elle.", "« Non. »"}));
    EXPECT_EQ(sentences("Er sagt ja. »Gut«, sagt sie.", "de"), (Texts{"Er sagt ja.", "»Gut«, sagt sie."}));
    EXPECT_EQ(sentences("A las 5 p. m. El tren sale. En EE. UU. viven p. ej. Ana. Fin.", "es"),
              (Texts{"A las 5 p. m.", "El tren sale.", "En EE. UU. viven p. ej. Ana.", "Fin."}));
    EXPECT_EQ(sentences("Das gilt i. d. R. Montags.", "de"), (Texts{"Das gilt i. d. R. Montags."}));
    EXPECT_EQ(sentences("Er hat u. a. Hunde, d. h. Tiere. Gut.", "de"),
              (Texts{"Er hat u. a. Hunde, d. h. Tiere.", "Gut."}));
}

TEST(Sentences, OfScriptsWithoutSpaces) {
    EXPECT_EQ(sentences("你好。他走了！她呢？", "zh"), (Texts{"你好。", "他走了！", "她呢？"}));
    EXPECT_EQ(sentences("これは本です。 面白い。", "ja"), (Texts{"これは本です。", "面白い。"}));
    EXPECT_EQ(sentences("発売した。iPhoneは人気だ。", "ja"), (Texts{"発売した。", "iPhoneは人気だ。"}));
    EXPECT_EQ(sentences("她说。“再见！”“好。”（完。）", "zh"), (Texts{"她说。", "“再见！”", "“好。”", "（完。）"}));
    EXPECT_EQ(sentences("“你去吗？”她问。“好。”", "zh"), (Texts{"“你去吗？”她问。", "“好。”"}));
    EXPECT_EQ(sentences("「行くよ。」彼は言った。", "ja"), Texts{"「行くよ。」彼は言った。"});
    EXPECT_EQ(sentences("彼は「はい。」と言った。「今日は。」「いいえ。」", "ja"),
              (Texts{"彼は「はい。」と言った。", "「今日は。」", "「いいえ。」"}));
}

TEST(Sentences, AnObjectIsAName) {
    const std::string object(object_mark);
    EXPECT_EQ(sentences("See " + object + ". " + object + " is good."),
              (Texts{"See " + object + ".", object + " is good."}));
    EXPECT_EQ(sentences("He is old." + object + "She is new."), (Texts{"He is old." + object, "She is new."}));
    EXPECT_EQ(sentences("He is old." + object + object + " She is new, as in " + object + "."),
              (Texts{"He is old." + object + object, "She is new, as in " + object + "."}));
}

TEST(Sentences, ALanguageHasToExist) {
    EXPECT_TRUE(has(error_of(ExitCode::usage, [] { SentenceSplitter splitter("xx"); }), "'xx'"));
    EXPECT_TRUE(has(error_of(ExitCode::usage, [] { SentenceSplitter splitter(""); }), "language"));
    EXPECT_EQ(SentenceSplitter("de_CH").split("Ja.").size(), 1U);
}

}  // namespace
}  // namespace softalign
