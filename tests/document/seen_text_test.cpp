#include "document/seen_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "document/sentences.h"
#include "text/words.h"

namespace softalign {
namespace {

using Texts = std::vector<std::string>;

// A text whose atoms are written in brackets: "No. [12] is", and "< >" for one that separates words.
MarkedText marked_text_of(const std::string& written) {
    MarkedText text;
    for (std::size_t at = 0; at < written.size();) {
        if (written[at] != '[' && written[at] != '<') {
            text.text += written[at++];
            continue;
        }
        const std::size_t end = written.find(written[at] == '[' ? ']' : '>', at);
        const std::string seen = written.substr(at + 1, end - at - 1);
        const std::size_t begin = text.text.size();
        text.text += object_mark;
        text.atoms.push_back({{begin, text.text.size()}, seen, written[at] == '<', seen});
        at = end + 1;
    }
    return text;
}

// The sentences as marked_text_of() reads them.
Texts divided(const std::string& written, const std::string& locale = "en") {
    const MarkedText text = marked_text_of(written);
    const SeenText seen(text);
    Texts found;
    for (const TextRange& range : seen.places_of(SentenceSplitter(locale).split(seen.text()))) {
        std::string sentence;
        std::size_t done = range.begin;
        for (const Atom& atom : text.atoms) {
            if (atom.range.begin >= range.begin && atom.range.end <= range.end) {
                sentence += text.text.substr(done, atom.range.begin - done) + (atom.is_space ? "<" : "[") + atom.text +
                            (atom.is_space ? ">" : "]");
                done = atom.range.end;
            }
        }
        found.push_back(sentence + text.text.substr(done, range.end - done));
    }
    return found;
}

TEST(SeenText, ANumberIsReadAsOne) {
    EXPECT_EQ(divided("See No. [12345] here. No. [He] left."), (Texts{"See No. [12345] here.", "No.", "[He] left."}));
    EXPECT_EQ(divided("Am [3]. Oktober kam er. Dr. [X1] ging.", "de"),
              (Texts{"Am [3]. Oktober kam er.", "Dr. [X1] ging."}));
    EXPECT_EQ(divided("It is [25]. Then he left."), (Texts{"It is [25].", "Then he left."}));
    EXPECT_EQ(divided("See No. [ 5 ] here."), Texts{"See No. [ 5 ] here."});
    EXPECT_EQ(divided("You pay max. [€5] now. See No. [-$5] here."),
              (Texts{"You pay max. [€5] now.", "See No. [-$5] here."}));
    EXPECT_EQ(divided("Er hat [{0}]. Dann [%1$s]. Er ging.", "de"),
              (Texts{"Er hat [{0}].", "Dann [%1$s].", "Er ging."}));
}

TEST(SeenText, WhatShowsNothingEndsAndJoinsNoSentence) {
    for (const std::string nothing : {"[]", "[\xF0\x9F\x91\x8D]", "[\xE2\x84\xA2][]"}) {
        EXPECT_EQ(divided("Two dogs run." + nothing + " The man walks."),
                  (Texts{"Two dogs run." + nothing, "The man walks."}));
        EXPECT_EQ(divided("Two dogs run. " + nothing + " The man " + nothing + " walks. " + nothing),
                  (Texts{"Two dogs run.", nothing + " The man " + nothing + " walks. " + nothing}));
        EXPECT_EQ(divided(nothing + " See No. " + nothing + "5."), (Texts{nothing + " See No. " + nothing + "5."}));
        EXPECT_EQ(divided(" " + nothing), Texts{nothing});
    }
    EXPECT_EQ(divided("Two dogs run.< >The man walks."), (Texts{"Two dogs run.", "< >The man walks."}));
}

TEST(SeenText, AnythingElseIsAName) {
    EXPECT_EQ(divided("See [www.a.org]. [{name}] is good."), (Texts{"See [www.a.org].", "[{name}] is good."}));
    for (const std::string name : {"[www.a.org]", "[3D]", "[2024-01-05T10:30:00Z]", "[5 Mai]"}) {
        EXPECT_EQ(divided("all is small. " + name + " is good. so it is."),
                  (Texts{"all is small.", name + " is good.", "so it is."}));
    }
}

TEST(SeenText, NoAtomIsDivided) {
    EXPECT_EQ(divided("On [3. 5.!] day. He left."), (Texts{"On [3. 5.!] day.", "He left."}));
    EXPECT_EQ(divided("He left. [3. 5. ]"), (Texts{"He left.", "[3. 5. ]"}));
}

TEST(SeenText, EachAtomIsInOneSentence) {
    Random random(7);
    const Texts parts = {"a", "B", ".", " ", " ", "[]", "[5]", "[5. A]", "[5.! 6]", "[x]", "< >", "!"};
    for (int i = 0; i < 5000; ++i) {
        std::string written;
        std::size_t atoms = 0;
        for (std::size_t length = random.below(15); length > 0; --length) {
            const std::string& part = parts[random.below(parts.size())];
            written += part;
            atoms += part.size() > 1 ? 1 : 0;
        }
        std::size_t found = 0;
        std::string joined;
        for (const std::string& sentence : divided(written)) {
            EXPECT_FALSE(sentence.empty()) << written;
            found += marked_text_of(sentence).atoms.size();
            joined += sentence;
        }
        EXPECT_EQ(found, atoms) << written;
        const auto without_spaces = [](const std::string& text) {
            std::string result;
            for (const std::string_view word : words_of(text)) {
                result += word;
            }
            return result;
        };
        EXPECT_EQ(without_spaces(joined), without_spaces(written));
    }
}

}  // namespace
}  // namespace softalign
