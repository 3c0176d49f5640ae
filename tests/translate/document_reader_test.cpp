#include "translate/document_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "document/html_text.h"
#include "document/placeholders.h"
#include "number_tokenizer.h"
#include "text/placeholder_pieces.h"

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
    DocumentReader reader_{{tokenizer_, tokenizer_}, {}};
    TextForm lines_{false, Markup::none};
    TextForm html_{true, Markup::html};
};

using Texts = std::vector<std::string>;

TEST_F(DocumentReaderTest, WhatIsNotTranslatedStays) {
    const SourceDocument text = reader_.read("\n  One two. Three?\t\r\n\n \nthree");
    EXPECT_EQ(sentences(text), (Texts{"One two.", "Three?", "three"}));
    EXPECT_EQ(joined(text, "+"), "\n  +One two. +Three?\t\r\n\n \n+three");
    EXPECT_EQ(joined(reader_.read("One two.\r", lines_), "+"), "+One two.\r");
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
              "more than 64 terms of the glossary in 1 of 2 sentences, or fewer beside placeholders; the first of each "
              "are used");
    EXPECT_EQ(reader_.read("term3", {true, Markup::none, false, &glossary}).warning(), "");
}

// Two placeholders or none, and one piece for all other words.
class PlaceholderTokenizer : public NumberTokenizer {
public:
    explicit PlaceholderTokenizer(std::size_t held = 2) : NumberTokenizer(40), held_(held) {}
    std::int32_t size() const override { return 42; }
    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const std::string_view word : words_of(text)) {
            const auto has = [this, word](std::size_t number) {
                return number < held_ && word.find(placeholder(number)) != std::string_view::npos;
            };
            ids.push_back(has(0) ? 40 : has(1) ? 41 : 4);
        }
        return ids;
    }
    std::string piece(std::int32_t id) const override {
        return id < 40 ? NumberTokenizer::piece(id) : placeholder(static_cast<std::size_t>(id - 40));
    }

private:
    std::size_t held_;
};

TEST_F(DocumentReaderTest, PlaceholdersStandForSpans) {
    const PlaceholderTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const std::string text = "4 12 www.a.org, 14 7\n4 99";
    const SourceDocument plain = reader.read(text, {false, Markup::none, false, nullptr});
    EXPECT_EQ(sentences(plain), (Texts{"4 12 www.a.org, 14 7", "4 99"}));
    EXPECT_TRUE(plain.requests()[0].phrases.empty());
    const SourceDocument document = reader.read("man 12 www.a.org, 14 7\nman 99", {false, Markup::none, true, nullptr});
    ASSERT_EQ(document.requests().size(), 2U);
    EXPECT_EQ(document.requests()[0].phrases, placeholders(2));
    EXPECT_EQ(document.requests()[1].phrases, placeholders(1));
    EXPECT_EQ(placeholders_in(document.requests()[0].text).size(), 2U);
    EXPECT_EQ(document.requests()[0].text.find("12"), std::string::npos);
    for (const char* const span : {"12", "www.a.org", "14", "7", "99"}) {
        const std::string done = joined(document, "x ");
        EXPECT_EQ(done.find(span), done.rfind(span)) << done;
        EXPECT_NE(done.find(span), std::string::npos) << done;
    }
    // Where the search takes no phrases, it is asked for none.
    const SourceDocument free = reader.read("man 12", {false, Markup::none, true, nullptr, false});
    EXPECT_TRUE(free.requests()[0].phrases.empty());
    EXPECT_EQ(joined(free), "man 12");
    // A model without placeholders writes what looks like one.
    EXPECT_EQ(joined(reader_.read(placeholder(0) + " man", lines_)), placeholder(0) + " man");
    EXPECT_EQ(joined(reader.read("man", lines_), placeholder(0)), "man");
    if (reads_html()) {
        const std::string html = "<p>man <b>&lt;12&gt; x</b> www.a.org?a&amp;b</p>";
        EXPECT_EQ(joined(reader.read(html, {true, Markup::html, true, nullptr})), html);
    }
}

TEST_F(DocumentReaderTest, PlaceholdersAreThoseOfBothVocabularies) {
    const PlaceholderTokenizer tokenizer;
    for (const TokenizerPair& pair : {TokenizerPair{tokenizer, tokenizer_}, TokenizerPair{tokenizer_, tokenizer}}) {
        const DocumentReader reader(pair, {});
        EXPECT_TRUE(reader.read("http://a.org man", lines_).requests()[0].phrases.empty());
    }
}

TEST_F(DocumentReaderTest, SpansAreKeptByDefaultWherePlaceholdersAre) {
    const PlaceholderTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const SourceDocument document = reader.read("man 12\nman", {false});
    EXPECT_EQ(document.requests()[0].phrases, placeholders(1));
    Translation written;
    written.text = placeholder(0) + " mann";
    const RestoredText whole = document.restored({{written}, {written}});
    const std::vector<RestoredSentence>& restored = whole.sentences;
    EXPECT_EQ(restored[0].source, "man 12");
    EXPECT_EQ(restored[0].spans, Texts{"12"});
    EXPECT_EQ(restored[0].translations, Texts{"12 mann"});
    EXPECT_TRUE(restored[1].spans.empty());
    EXPECT_EQ(sentences(reader_.read("man www.a.org", lines_)), Texts{"man www.a.org"});
    // What a translation is to have, with the spans of the sentence, each once.
    const TranslationRequest given{"man 12 man 12 www.a.org", "12 12 12.5 x12 ", {"12", "www.a.org mann", "www.a.org"}};
    const TranslationRequest request = reader.read(given, {false}).requests()[0];
    EXPECT_EQ(request.prefix, placeholder(0) + " " + placeholder(1) + " 12.5 x12 ");
    EXPECT_EQ(request.phrases, (Texts{placeholder(0), "mann"}));
    // As many phrases as there may be leave no room for a placeholder.
    const std::vector<std::string> most(64, "12");
    EXPECT_EQ(reader.read({"man 12 www.a.org", "", most}, {false}).requests()[0].phrases.size(), 64U);
}

// Knows ASCII and small letters of Cyrillic.
class LettersTokenizer : public NumberTokenizer {
public:
    explicit LettersTokenizer(std::string lacking = "") : NumberTokenizer(40), lacking_(std::move(lacking)) {}
    std::vector<std::int32_t> encode(std::string_view text) const override {
        const bool is_known = text.find_first_of(lacking_) == std::string_view::npos &&
                              std::all_of(text.begin(), text.end(), [](char c) { return (c & '\x80') == 0; });
        return {is_known ? 4 : special().unk};
    }

private:
    std::string lacking_;
};

// Each in one of the parts that tags and pictures leave.
TEST_F(DocumentReaderTest, SpansEndAtTags) {
    const PlaceholderTokenizer tokenizer(0);
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const TextForm form{true, Markup::html, true};
    for (const std::string text : {"<a>http://a.org/b<i></i></a> man", "<a>http://a.org/b</a><sup>1</sup> man",
                                   "http://a.org/<wbr>page man", "http://a.org/<b>page</b> man"}) {
        const SourceDocument document = reader.read(text, form);
        EXPECT_EQ(sentences(document)[0].find("http"), std::string::npos) << text;
        EXPECT_EQ(joined(document), text);
    }
    const SourceDocument power = reader.read("man 20<sup>2</sup> mann", form);
    EXPECT_EQ(sentences(power), Texts{"man mann"});
    EXPECT_EQ(joined(power), "man 20<sup>2</sup> mann");
    // What is taken out leaves no two numbers as one, and no number as a part of a word.
    for (const std::string text : {"man 5{x}6 mann", "man 5<img>6 mann", "man 10<b>\u2013</b>12 mann",
                                   "man page {n}5 mann", "man a <img>5 mann"}) {
        const SourceDocument document = reader.read(text, form);
        const std::string read = sentences(document)[0];
        EXPECT_EQ(read.find_first_of("0123456789"), std::string::npos) << text << ": " << read;
        EXPECT_EQ(joined(document), text);
    }
    // A pattern of the user sees across tags, and takes what lies between them.
    DocumentOptions options;
    options.kept_patterns = {"(?<=Mr )\\w+", "\\bman\\b"};
    const DocumentReader given({tokenizer, tokenizer}, options);
    const SourceDocument names = given.read("man Mr <b>Bean</b>, wo<b>man</b>", {true, Markup::html, false});
    EXPECT_EQ(sentences(names)[0].find("Bean"), std::string::npos);
    EXPECT_NE(sentences(names)[0].find("woman"), std::string::npos);
    // It cuts no URL that is kept.
    const std::string url = "see http://man-b.org/man now";
    EXPECT_EQ(sentences(given.read(url, {false, Markup::none, true})), Texts{"see now"});
    EXPECT_NE(sentences(given.read(url, {false, Markup::none, false}))[0].find("http"), std::string::npos);
    // Nor a number or a word that the vocabulary lacks, also where it crosses them; but it may have more than them.
    const LettersTokenizer letters;
    options.kept_patterns = {"no \\d+", "[0-9]+", "\u0443", "3 now", "dog 1", "dog"};
    const DocumentReader cutting({letters, letters}, options);
    const TextForm kept{false, Markup::none, true};
    EXPECT_EQ(sentences(cutting.read("at 12:30 see 1,000.50 in 2024-01-05", kept)),
              Texts{"at 12:30 see 1,000.50 in 2024-01-05"});
    EXPECT_EQ(sentences(cutting.read("man \u0416\u0443\u043A 5 is http://a.org/3 now", kept)), Texts{"man is now"});
    EXPECT_EQ(sentences(cutting.read("man no 5 now", kept)), Texts{"man now"});
    EXPECT_EQ(sentences(cutting.read("man dog 12 now", kept)), Texts{"man now"});
    EXPECT_EQ(cutting.read({"man 1,000", "12:30 ", {"\u0416\u0443\u043A"}}, kept).requests()[0].prefix, "12:30 ");
}

// Has a piece for each byte.
class BytesTokenizer : public NumberTokenizer {
public:
    BytesTokenizer() : NumberTokenizer(40) {}
    std::vector<std::int32_t> encode(std::string_view text) const override {
        return std::vector<std::int32_t>(text.size(), 4);
    }
};

TEST_F(DocumentReaderTest, ANumberTakesTheWordItIsJoinedTo) {
    const BytesTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const TextForm form{false, Markup::none, true};
    const auto reads = [&](const std::string& text, const TextForm& as) { return sentences(reader.read(text, as))[0]; };
    for (const std::string code : {"DS-7600-K2", "AB12-345678", "Boeing-737-800", "RFC-2616", "RFC-2616.3/A-1234",
                                   "a-100/b-200", "\u00C4_B-1234", "2024-01-05"}) {
        EXPECT_EQ(reads("man " + code + ", mann", form), "man , mann");
        EXPECT_EQ(joined(reader.read("man " + code + ", mann", form)), "man " + code + ", mann");
    }
    // One that the model may know is translated with its word, and one that begins a word is taken out alone.
    EXPECT_EQ(reads("man 10-year-old A-5 mann", form), "man 10-year-old A-5 mann");
    EXPECT_EQ(reads("man 2500-year-old mann", form), "man -year-old mann");
    // It takes no other words, and no spans.
    EXPECT_EQ(reads("man\u2014RFC-2616\u2014mann", form), "man\u2014\u2014mann");
    EXPECT_EQ(reads("man,RFC-2616:mann (see:A-1234)", form), "man,:mann (see:)");
    EXPECT_EQ(reads("man <b>RFC-2616</b> A-1234-{n} mann", form), "man - mann");
    EXPECT_EQ(reads("man A/9999/B-7777 mann", form), "man mann");
    // Numbers that a compound ends in are taken once.
    EXPECT_EQ(joined(reader.read("man EUR-1,000-USD-2,000 mann", form)), "man EUR-1,000-USD-2,000 mann");
    EXPECT_EQ(joined(reader.read("man Mon-12:30-to-Fri-13:45 mann", form)), "man Mon-12:30-to-Fri-13:45 mann");
    DocumentOptions options;
    options.kept_patterns = {"B-[0-9]+"};
    const DocumentReader given({tokenizer, tokenizer}, options);
    EXPECT_EQ(sentences(given.read("man A-1234-B-6789 mann", form)), Texts{"man - mann"});
    const TextForm html{false, Markup::html, true};
    EXPECT_EQ(reads("man <b>RFC</b>-2616 mann", html), "man RFC mann");
    EXPECT_EQ(reads("man <b>a</b><i>1234</i><b>b</b> mann", html).find("1234"), std::string::npos);
    EXPECT_EQ(reads("man H<sub>2</sub>O mann", html), "man H2O mann");
}

TEST_F(DocumentReaderTest, SpansDivideNoSentenceAndHideNoEnd) {
    const LettersTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    TextForm form{true, Markup::none, true};
    const auto divided = [&](const std::string& text) {
        const SourceDocument document = reader.read(text, form);
        EXPECT_EQ(joined(document), text);
        return document.requests().size();
    };
    EXPECT_EQ(divided("Two run.\xF0\x9F\x91\x8D The man goes."), 2U);
    EXPECT_EQ(divided("See No. 123456 in it."), 1U);
    EXPECT_EQ(divided("Write to a@b.org. He answers."), 2U);
    if (reads_html()) {
        form.markup = Markup::html;
        for (const std::string nothing : {"<!-- c -->", "<i></i>", "<img src='a'>", "<wbr>", "<svg><path/></svg>",
                                          "<script>var A;</script>", "<span translate=no>\xE2\x84\xA2</span>"}) {
            EXPECT_EQ(divided("<p>Two run." + nothing + " The man goes.</p>"), 2U) << nothing;
        }
        EXPECT_EQ(divided("<p>See No. <code>12</code> in it.</p>"), 1U);
    }
}

// As white space, they join no words, end sentences, and stay between them and at the ends of the text.
TEST_F(DocumentReaderTest, EscapesAreWhiteSpace) {
    const LettersTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const std::string text = "\\tA man is old.\\nPaul\\nSings \\n 5. \\nHe runs.\\n";
    for (const bool split : {true, false}) {
        const SourceDocument document = reader.read(text, {split, Markup::none, true});
        EXPECT_EQ(sentences(document), split ? (Texts{"A man is old.", "Paul Sings 5.", "He runs."})
                                             : Texts{"A man is old. Paul Sings 5. He runs."});
        EXPECT_EQ(joined(document), text);
    }
    EXPECT_EQ(joined(reader.read("A man.\\n\\nPaul sings.", {true, Markup::none, true}), "+"),
              "+A man.\\n\\n+Paul sings.");
    EXPECT_TRUE(sentences(reader.read("\\n \\t", {false, Markup::none, true})).empty());
    // Where a translation is to have them, too.
    const TranslationRequest asked{"\\nOne\\nTwo\\t", "\\nEins\\nZwei\\t", {"Zwei\\t", "\\rDrei"}};
    const TranslationRequest request = reader.read(asked, {false, Markup::none, true}).requests()[0];
    EXPECT_EQ(request.prefix, "Eins Zwei ");
    EXPECT_EQ(request.phrases, (Texts{"Zwei", "\\rDrei"}));
    if (reads_html()) {
        const std::string html = "<p><b>\\nA man.\\n</b> <i>Paul\\nSings.\\nHe runs.</i>\\n</p>";
        const SourceDocument document = reader.read(html, {true, Markup::html, true});
        EXPECT_EQ(sentences(document), (Texts{"A man.", "Paul Sings.", "He runs."}));
        EXPECT_EQ(joined(document), "<p>\\n<b>A man.</b>\\n <i>Paul\\nSings.\\nHe runs.</i>\\n</p>")
            << "outside of tags";
        const std::string alone = "<p>A man<b>\\n</b>sings.<b>\\n<i>\\n</i></b>He runs.<b>\\n</b></p>";
        EXPECT_EQ(sentences(reader.read(alone, {true, Markup::html, true})), (Texts{"A man sings.", "He runs."}));
        EXPECT_EQ(joined(reader.read(alone, {true, Markup::html, true})), alone);
        for (const std::string inner :
             {"<p>A <i><b>\\n</b> <u>\\t</u>man</i> sings.</p>", "<p><b><a href='u'>\\n</a>A</b></p>",
              "<p>A<i><b>\\n</b>man<b>\\n</b></i>\\n<b>sings</b>.</p>"}) {
            const std::string done = joined(reader.read(inner, {true, Markup::html, true}));
            for (const char sign : {'<', '/', '\\'}) {
                EXPECT_EQ(std::count(done.begin(), done.end(), sign), std::count(inner.begin(), inner.end(), sign))
                    << done;
            }
        }
        EXPECT_EQ(joined(reader.read("<p>I see <i>it<b> </b></i> or <u><b> </b>you</u></p>", html_)),
                  "<p>I see <i>it</i><b> </b> or <b> </b><u>you</u></p>");
    }
}

TEST_F(DocumentReaderTest, MarksInFrontOfSentencesStay) {
    const std::string text = "- A runs. \u2013 B goes.\n> ## A\n* b\n-5 c\n- \n#";
    const SourceDocument document = reader_.read(text);
    EXPECT_EQ(sentences(document), (Texts{"A runs.", "B goes.", "A", "b", "-5 c"}));
    EXPECT_EQ(joined(document, "+"), "- +A runs. \u2013 +B goes.\n> ## +A\n* +b\n+-5 c\n- \n#");
    // Numbers of items, but no other numbers.
    const SourceDocument items = reader_.read("1. A runs. 2. B goes.\n12) c\n- 3. d\n4.\n1999) e\n1.5 f\n5 g\n6.h");
    EXPECT_EQ(joined(items, "+"), "1. +A runs. 2. +B goes.\n12) +c\n- 3. +d\n4.\n+1999) e\n+1.5 f\n+5 g\n+6.h");
    const PlaceholderTokenizer with_placeholders;
    const DocumentReader holding({with_placeholders, with_placeholders}, {});
    const SourceDocument spans = holding.read("1. A 7 runs. 12) B\n2 c\n3.5 d\n- 4. e\n5.f");
    EXPECT_EQ(joined(spans, "+"), "1. +A 7 runs. 12) +B\n+2 c\n+3.5 d\n- 4. +e\n+5.f");
    if (reads_html()) {
        const std::string page =
            "<p>1. A <b>man</b> runs.</p><p><b>2)</b> B goes.</p><p><i>3. C d</i>.</p><p><i>4. E</i> f</p><p>- e</p>";
        EXPECT_EQ(joined(reader_.read(page, html_), "+"),
                  "<p>1. +A <b>man</b> runs.</p><p><b>2)</b> +B goes.</p><p><i>3. +C d</i>.</p><p><i>+4. E</i> "
                  "f</p><p>+- e</p>");
        const std::string unseen =
            "<p><a id=\"s\"></a>1. A<p><!-- c --> 2.\nB<p>3.&nbsp;C<p>4.<img src=\"i\"> D<p><b>5.<img></b> "
            "E<p>6.F";
        EXPECT_EQ(
            joined(reader_.read(unseen, html_), "+"),
            "<p><a id=\"s\"></a>1. +A<p><!-- c --> 2.\n+B<p>+3.&nbsp;C<p>4.<img src=\"i\"> +D<p><b>5.<img></b> +E<p>"
            "+6.F");
        // With white space in tags behind them, at the end of a sentence too.
        const std::string spaces =
            "<p>2. 1.<i>&nbsp; </i>Two a.</p><p>Two b. 3) 1.<i>&nbsp; </i>Two c.</p><p>1.<i>&nbsp; </i>d</p>";
        EXPECT_EQ(
            joined(reader_.read(spaces, html_), "+"),
            "<p>2. 1.<i>&nbsp; </i>+Two a.</p><p>+Two b. 3) 1.<i>&nbsp; </i>+Two c.</p><p>1.<i>&nbsp; </i>+d</p>");
        const std::string pictures = "<p>1. <b><!-- c -->A b</b> c</p><p>1.<b><!-- c --> A b</b> c</p>";
        EXPECT_EQ(joined(reader_.read(pictures, html_), "+"),
                  "<p>1. <b><!-- c -->+A b</b> c</p><p>+1. <b><!-- c --> A b</b> c</p>");
    }
    // Nor what is part of a term.
    Glossary glossary;
    glossary.add("1. fc", "7", tokenizer_);
    glossary.add("# a", "8", tokenizer_);
    const SourceDocument terms =
        reader_.read("1. FC plays.\n2. FC plays. 1. fc\n# A\n# b", {true, Markup::none, false, &glossary});
    EXPECT_EQ(joined(terms, "+"), "+1. FC plays.\n2. +FC plays. +1. fc\n+# A\n# +b");
    const SourceDocument inner =
        reader_.read("- 1. FC plays.\n1. 1. FC plays.", {true, Markup::none, false, &glossary});
    EXPECT_EQ(joined(inner, "+"), "- +1. FC plays.\n1. +1. FC plays.");
    // Also those that the vocabulary lacks, which are held as spans.
    const LettersTokenizer tokenizer(">*#");
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const std::string held = "> A man runs.\n>> # A man runs. * A dog runs.\n>\n>a man";
    const SourceDocument kept = reader.read(held, {true, Markup::none, true});
    EXPECT_EQ(joined(kept, "+"), "> +A man runs.\n>> # +A man runs. * +A dog runs.\n>\n>+a man");
    EXPECT_TRUE(kept.requests()[1].phrases.empty());
}

TEST_F(DocumentReaderTest, SignsThatTheVocabularyLacksAreKeptAlone) {
    const LettersTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const TextForm form{true, Markup::none, true};
    const SourceDocument document = reader.read("A man has one \u20AC! A girl (a \u20AC), sings.", form);
    EXPECT_EQ(sentences(document), (Texts{"A man has one !", "A girl (a ), sings."}));
    EXPECT_EQ(joined(document), "A man has one \u20AC! A girl (a \u20AC), sings.");
    const LettersTokenizer brackets(")");
    const SourceDocument phone =
        DocumentReader({brackets, brackets}, {}).read("Call (0)30 (a), (b)c and 30(0), (5).", form);
    EXPECT_EQ(sentences(phone), Texts{"Call (a), and , (5)."});
    const LettersTokenizer few("$&[]#%.;\"(");
    const DocumentReader few_reader({few, few}, {});
    const std::string signs = "A man has $5 & a [b] #c; \"is\" 5% (not).";
    EXPECT_EQ(sentences(few_reader.read(signs, form)), Texts{"A man has a b c; \"is\" (not)."});
    EXPECT_EQ(joined(few_reader.read(signs, form)), signs);
    // A number stays with its sign.
    EXPECT_EQ(sentences(reader.read("It is \u20AC3 now. It is 3 now.", form)), (Texts{"It is now.", "It is 3 now."}));
    const std::string amounts = "It is -\u20AC3 or \u20AC-3, 5M\u20AC, 20\u00B0C now.";
    EXPECT_EQ(sentences(reader.read(amounts, form)), Texts{"It is or , , now."});
    EXPECT_EQ(joined(reader.read(amounts, form)), amounts);
    EXPECT_EQ(sentences(reader.read("It is 10\u20AC-20\u20AC or 5\u20AC/h\\nor -\u20AC5 now.", form)),
              Texts{"It is or now."});
    EXPECT_EQ(sentences(reader.read("It is 12,345\u00B0C\u201325,000\u00B0C or \u20AC10,000-\u20AC20,000 now.", form)),
              Texts{"It is or now."})
        << "words with many digits";
    const std::string words = "It is -5\u00B0C\u20135\u00B0C or -\u20AC5\u2013\u20AC10 now.";
    EXPECT_EQ(sentences(reader.read(words, form)), Texts{"It is or now."});
    EXPECT_EQ(joined(reader.read(words, form)), words);
    EXPECT_EQ(sentences(reader.read("They sing.\\n5 dogs run, \\n-\u20AC5.", form)),
              (Texts{"They sing.", "5 dogs run, ."}));
    EXPECT_EQ(sentences(reader.read("It is -$3 now.", form)), Texts{"It is -$3 now."}) << "the sign is known";
    EXPECT_EQ(reader.read(TranslationRequest{"It is -\u20AC3 now.", "-\u20AC3 ", {}}, form).requests()[0].prefix, "");
}

TEST_F(DocumentReaderTest, NumbersAloneAreNotTranslatedWhereSpansAreKept) {
    const LettersTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const std::string text = "5\n---\n5 / 12\nA runs. 5! B.\r\n";
    EXPECT_EQ(sentences(reader.read(text, {true, Markup::none, true})), (Texts{"A runs.", "B."}));
    EXPECT_EQ(joined(reader.read(text, {true, Markup::none, true}), "+"), "5\n---\n5 / 12\n+A runs. 5! +B.\r\n");
    EXPECT_EQ(sentences(reader.read("5\n", {true, Markup::none, false})), Texts{"5"});
    // But for words that are asked for.
    Glossary glossary;
    glossary.add("24/7", "10", tokenizer);
    EXPECT_EQ(sentences(reader.read("24/7\n7", {false, Markup::none, true, &glossary})), Texts{"24/7"});
    EXPECT_EQ(sentences(reader.read(TranslationRequest{"5", "10 ", {}}, {false, Markup::none, true})), Texts{"5"});
    EXPECT_EQ(sentences(reader.read(TranslationRequest{"5", "", {"10"}}, {false, Markup::none, true})), Texts{"5"});
    EXPECT_EQ(sentences(reader.read(TranslationRequest{"http://a.org", "10", {}}, {false, Markup::none, true})),
              Texts())
        << "nothing is left to translate";
}

TEST_F(DocumentReaderTest, WhatTheVocabularyLacksIsKeptOnce) {
    const LettersTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const TextForm form{false, Markup::none, true};
    const SourceDocument document = reader.read("man \u5F20\u4F1F and \u0416\u0443 now", form);
    EXPECT_EQ(sentences(document), Texts{"man and now"});
    // A whole name, also where a translation is to begin with it.
    const TranslationRequest asked{
        "man \u5F20\u4F1F and \u0416\u0443 or 2955993", "mann \u0416\u0443 ", {"\u5F20\u4F1F und", "\u5F20\u4F1F"}};
    const TranslationRequest request = reader.read(asked, form).requests()[0];
    EXPECT_EQ(request.prefix, "mann ");
    EXPECT_EQ(request.phrases, Texts{"und"});
    // Beside other spans too.
    for (const std::string text : {"man {name}\u0416\u0443 now", "man \u0416\u0443\U0001F600\u0416 now",
                                   "man \u0416%s now", "man \u0416-12345 now", "man 5\u00D75 now"}) {
        EXPECT_EQ(joined(reader.read(text, form)), text);
        EXPECT_TRUE(sentences(reader.read(text, form))[0].find_first_of("\xD0\xC3") == std::string::npos) << text;
    }
    EXPECT_EQ(sentences(reader.read("he says \u201Crun\u201D.", form)), Texts{"he says \"run\"."});
    // Typographic signs inside words are those of ASCII.
    EXPECT_EQ(sentences(reader.read("he doesn\u2019t run\u2014he walks", form)), Texts{"he doesn't run-he walks"});
    EXPECT_EQ(sentences(reader.read("he wa\u00ADlks", form)), Texts{"he walks"});
    EXPECT_EQ(joined(reader.read("he \u00AD\u2060 walks", form)), "he \u00AD\u2060 walks");
    EXPECT_EQ(sentences(reader.read("he doesn\u2019t", {false})), Texts{"he doesn\u2019t"});
}

TEST_F(DocumentReaderTest, TermsMayHaveSpansAndAreNotFoundAcrossThem) {
    const PlaceholderTokenizer tokenizer;
    const DocumentReader reader({tokenizer, tokenizer}, {});
    const PlaceholderTokenizer without(0);
    const DocumentReader plain({without, without}, {});
    Glossary glossary;
    glossary.add("5 tree", "10", tokenizer_);
    glossary.add("dog tree", "11", tokenizer_);
    glossary.add("dog 7", "7 12", tokenizer_);
    EXPECT_THROW(glossary.add("man", placeholder(0), tokenizer), Error);
    const TextForm form{false, Markup::none, true, &glossary};
    for (const DocumentReader* const one : {&reader, &plain}) {
        const SourceDocument apart = one->read("dog https://a.org tree", form);
        EXPECT_EQ(apart.requests()[0].phrases, one == &reader ? placeholders(1) : Texts());
        const SourceDocument document = one->read("man 5 tree", form);
        EXPECT_EQ(sentences(document), Texts{"man 5 tree"});
        EXPECT_EQ(document.requests()[0].phrases, Texts{"10"});
        // The number is translated with its term.
        Translation translation;
        translation.source = "man 5 tree";
        translation.text = "mann 10";
        EXPECT_EQ(document.joined({&translation}), "mann 10");
        // A term whose translation has it keeps it.
        const SourceDocument kept = one->read("man dog 7", form);
        translation.source = "man dog 7";
        translation.text = "mann 12";
        EXPECT_NE(kept.joined({&translation}).find('7'), std::string::npos);
        // Its other number is not the source's.
        const SourceDocument both = one->read("dog 7 man 12", form);
        translation.source = "dog 7 man 12";
        translation.text = "7 12 mann";
        translation.text += one == &reader ? " " + placeholder(0) : " 12";
        EXPECT_EQ(both.joined({&translation}), "7 12 mann 12");
    }
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
