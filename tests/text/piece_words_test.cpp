#include "text/piece_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"
#include "translate/number_tokenizer.h"

namespace softalign {

bool operator==(const WordRange& a, const WordRange& b) {
    return a.begin == b.begin && a.end == b.end;
}

std::ostream& operator<<(std::ostream& out, const WordRange& range) {
    return out << "[" << range.begin << "," << range.end << ")";
}

namespace {

using Ids = std::vector<std::int32_t>;
using Ranges = std::vector<WordRange>;
using Words = std::vector<std::string>;

// What awk and a shell take for words.
Words between_blanks(const std::string& text) {
    std::istringstream stream(text);
    Words words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::string letters_of_words(const Words& words) {
    std::string all;
    for (const std::string& word : words) {
        all += word;
    }
    return all;
}

SourceWords read_words(const std::string& text, const Tokenizer& tokenizer, std::size_t longest = 1000) {
    auto pieces = tokenizer.segment(text);
    const bool cut = pieces.size() > longest;
    pieces.resize(std::min(pieces.size(), longest));
    return source_words(text, tokenizer, pieces, cut);
}

PieceWords decoded_words(const Ids& ids, const Tokenizer& tokenizer) {
    return target_words(tokenizer.decode(ids), ids.size(), [&](std::size_t first, std::size_t last) {
        return tokenizer.decode(
            Ids(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.begin() + static_cast<std::ptrdiff_t>(last)));
    });
}

Ids operator+(Ids a, const Ids& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// Words of one piece each, in order, and further pieces of the word before: {1, 3} is one piece, then three.
Ranges runs(const std::vector<std::size_t>& lengths) {
    Ranges ranges;
    for (std::size_t word = 0; word < lengths.size(); ++word) {
        ranges.insert(ranges.end(), lengths[word], {word, word + 1});
    }
    return ranges;
}

class TargetWords : public testing::Test {
protected:
    std::unique_ptr<SentencePieceTokenizer> train(VocabularyType type, bool byte_fallback = false) const {
        VocabularyConfig config;
        config.type = type;
        config.byte_fallback = byte_fallback;
        const std::int64_t size = type == VocabularyType::character ? 30 : 120;
        return std::make_unique<SentencePieceTokenizer>(
            train_sample(folder_, config, byte_fallback ? size + 256 : size));
    }

    static std::int32_t id_of(const std::string& piece, const Tokenizer& tokenizer) {
        for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
            if (tokenizer.piece(id) == piece) {
                return id;
            }
        }
        ADD_FAILURE() << "no piece " << piece;
        return 0;
    }

    TemporaryFolder folder_;
};

TEST_F(TargetWords, AreThoseBetweenSpacesForEveryKindOfPiece) {
    const std::vector<std::string> sentences = sample_sentences();
    for (const VocabularyType type :
         {VocabularyType::unigram, VocabularyType::bpe, VocabularyType::word, VocabularyType::character}) {
        const auto tokenizer = train(type);
        std::size_t split = 0;
        for (std::size_t i = 0; i < 40; ++i) {
            const Ids ids = tokenizer->encode(sentences[i]);
            const PieceWords found = decoded_words(ids, *tokenizer);
            EXPECT_EQ(found.words, between_blanks(tokenizer->decode(ids)));
            ASSERT_EQ(found.of_piece.size(), ids.size());
            std::size_t word = 0;
            for (std::size_t t = 0; t < ids.size(); ++t) {
                // Unknown words of a word vocabulary have no space symbol.
                const bool begins = tokenizer->piece(ids[t]).compare(0, 3, "\xE2\x96\x81") == 0 ||
                                    (type == VocabularyType::word && ids[t] == tokenizer->special().unk);
                word += t > 0 && begins ? 1 : 0;
                split += begins ? 0 : 1;
                EXPECT_EQ(found.of_piece[t], (WordRange{word, word + 1})) << sentences[i] << " " << t;
            }
            EXPECT_EQ(word + 1, found.words.size());
        }
        EXPECT_EQ(split > 0, type != VocabularyType::word);
    }
}

// In time that grows with their number, not with its square.
TEST_F(TargetWords, OfManyPieces) {
    const std::vector<std::string> sentences = sample_sentences();
    for (const bool bytes : {false, true}) {
        const auto tokenizer = train(VocabularyType::bpe, bytes);
        Ids ids;
        for (std::size_t i = 0; i < 80; ++i) {
            ids = ids + tokenizer->encode(sentences[i % sentences.size()] + (bytes ? " \u5F20\u4F1F" : ""));
        }
        ASSERT_GT(ids.size(), 400U);
        std::size_t decoded = 0;
        const auto part = [&](std::size_t first, std::size_t last) {
            decoded += last - first;
            return tokenizer->decode(
                Ids(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.begin() + static_cast<std::ptrdiff_t>(last)));
        };
        const std::string text = tokenizer->decode(ids);
        const PieceWords found = target_words(text, ids.size(), part);
        EXPECT_LT(decoded, ids.size() * 100);
        EXPECT_EQ(found.words, between_blanks(text));
        // Each piece begins in the word in which the text of all pieces before it ends.
        const std::string letters = letters_of_words(found.words);
        std::size_t word = 0;
        std::size_t end = found.words[0].size();
        std::size_t before = 0;
        for (std::size_t t = 0; t < ids.size(); ++t) {
            const std::string beginning = letters_of_words(between_blanks(part(0, t)));
            const auto common = std::mismatch(beginning.begin(), beginning.end(), letters.begin(), letters.end());
            before = std::max(before, static_cast<std::size_t>(common.first - beginning.begin()));
            for (; word + 1 < found.words.size() && end <= before; end += found.words[word].size()) {
                ++word;
            }
            ASSERT_EQ(found.of_piece[t].begin, word) << t;
        }
    }
}

TEST_F(TargetWords, AnUnknownPieceIsAWord) {
    const auto tokenizer = train(VocabularyType::bpe);
    const Ids unk = {tokenizer->special().unk};
    const Ids wald = tokenizer->encode("wald");
    const PieceWords found = decoded_words(wald + unk + unk + wald, *tokenizer);
    EXPECT_EQ(found.words, (Words{"wald", "\xE2\x81\x87", "\xE2\x81\x87", "wald"}));
    EXPECT_EQ(found.of_piece, runs({wald.size(), 1, 1, wald.size()}));
}

TEST_F(TargetWords, BytesArePartOfTheWordThatTheySpell) {
    const auto tokenizer = train(VocabularyType::bpe, true);
    const Ids haus = tokenizer->encode("haus");
    const Ids spelled = tokenizer->encode("\xE4\xB8\xAD\xE6\x96\x87n");
    ASSERT_GE(spelled.size(), 7U);
    const PieceWords found = decoded_words(haus + spelled + haus, *tokenizer);
    EXPECT_EQ(found.words, (Words{"haus", "\xE4\xB8\xAD\xE6\x96\x87n", "haus"}));
    EXPECT_EQ(found.of_piece, runs({haus.size(), spelled.size(), haus.size()}));

    // A space in bytes is part of what follows, and so is nothing of a character that never ends.
    const Ids space = {id_of("<0xE2>", *tokenizer), id_of("<0x96>", *tokenizer), id_of("<0x81>", *tokenizer)};
    const Ids letter = {id_of("a", *tokenizer)};
    EXPECT_EQ(decoded_words(haus + space + letter, *tokenizer).of_piece, runs({haus.size(), 4}));
    const PieceWords broken = decoded_words(haus + Ids{space[0]}, *tokenizer);
    EXPECT_EQ(broken.words, Words{"haus\xEF\xBF\xBD"});
    EXPECT_EQ(broken.of_piece, runs({haus.size() + 1}));
    EXPECT_EQ(decoded_words({space[0]}, *tokenizer).words, Words{"\xEF\xBF\xBD"});
    EXPECT_EQ(decoded_words({space[0]}, *tokenizer).of_piece, runs({1}));
}

TEST_F(TargetWords, PiecesThatWriteNothing) {
    const auto tokenizer = train(VocabularyType::character);
    const Ids space = {id_of("\xE2\x96\x81", *tokenizer)};
    const Ids bos = {tokenizer->special().bos};
    const Ids ab = tokenizer->encode("ab");
    ASSERT_EQ(ab.size(), 3U);  // the first is a space
    EXPECT_EQ(decoded_words(ab + bos + space + ab + space, *tokenizer).of_piece, runs({3, 6}));
    EXPECT_EQ(decoded_words(space, *tokenizer).of_piece, Ranges(1));
    EXPECT_TRUE(decoded_words(space, *tokenizer).words.empty());
    EXPECT_TRUE(decoded_words({}, *tokenizer).of_piece.empty());
}

TEST(TargetWordsOfText, APieceMayHaveAPartInSeveralWords) {
    const Words beginnings = {"", "in New York", "in New York ist", "in New York ist es", "in New York ist es"};
    const PieceWords found =
        target_words("in New York ist es", 4, [&](std::size_t, std::size_t last) { return beginnings[last]; });
    EXPECT_EQ(found.words, (Words{"in", "New", "York", "ist", "es"}));
    EXPECT_EQ(found.of_piece, (Ranges{{0, 3}, {3, 4}, {4, 5}, {4, 5}}));
}

TEST(SourceWords, AreThoseOfTheTextWhateverHasPieces) {
    const NumberTokenizer tokenizer(40);  // "*" has no piece
    const PieceWords found = read_words("7  7 * foo *", tokenizer).numbered;
    EXPECT_EQ(found.words, (Words{"7", "7", "*", "foo", "*"}));
    EXPECT_EQ(found.of_piece, (Ranges{{0, 1}, {1, 2}, {3, 4}}));
    EXPECT_TRUE(read_words(" ", tokenizer).numbered.words.empty());
}

TEST(SourceWords, EndWithTheLastPieceOfACutText) {
    const NumberTokenizer tokenizer(40);
    std::string text = "7 * 8";
    for (int i = 0; i < 100000; ++i) {
        text += " 9";
    }
    const SourceWords found = read_words(text, tokenizer, 2);
    EXPECT_EQ(found.numbered.words, (Words{"7", "*", "8"}));
    EXPECT_EQ(found.copied.words, (Words{"7", "*", "8"}));
    EXPECT_EQ(found.numbered.of_piece, (Ranges{{0, 1}, {2, 3}}));
}

// Characters that some normalisations take for spaces, between two words that others take for one.
TEST(SourceWords, AreNumberedAsReadersDoAndCopiedAsTheVocabularyDoes) {
    const TemporaryFolder folder;
    for (const std::string normalization : {"nmt_nfkc", "nmt_nfkc_cf", "nfkc", "nfkc_cf", "identity"}) {
        VocabularyConfig config;
        config.type = VocabularyType::word;
        config.normalization = normalization;
        const SentencePieceTokenizer tokenizer(train_sample(folder, config, 120));
        for (const std::string space :
             {"\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xEF\xBB\xBF", "\xEF\xBF\xBD"}) {
            SCOPED_TRACE(normalization + " " + space);
            const SourceWords found = read_words("haus foo" + space + "bar wald", tokenizer);
            EXPECT_EQ(found.numbered.words, (Words{"haus", "foo" + space + "bar", "wald"}));
            if (normalization.compare(0, 3, "nmt") == 0) {
                EXPECT_EQ(found.copied.words, (Words{"haus", "foo", "bar", "wald"}));
                EXPECT_EQ(found.copied.of_piece, runs({1, 1, 1, 1}));
                EXPECT_EQ(found.numbered.of_piece, runs({1, 2, 1}));
            } else {
                EXPECT_EQ(found.copied.words, found.numbered.words);
                EXPECT_EQ(found.copied.of_piece, runs({1, 1, 1}));
                EXPECT_EQ(found.numbered.of_piece, runs({1, 1, 1}));
            }
        }
        for (const std::string space : {"\t", "\xC2\xA0", "\xC2\x85", "\xE2\x80\xA8", "\xE3\x80\x80"}) {
            SCOPED_TRACE(normalization + " " + space);
            const SourceWords found = read_words("haus foo" + space + "bar wald", tokenizer);
            EXPECT_EQ(found.copied.words, (Words{"haus", "foo", "bar", "wald"}));
            EXPECT_EQ(found.copied.of_piece, found.numbered.of_piece);
            EXPECT_EQ(found.copied.of_piece,
                      found.copied.of_piece.size() == 4 ? runs({1, 1, 1, 1}) : (Ranges{{0, 1}, {1, 3}, {3, 4}}));
        }
    }
}

TEST(SourceWords, AWordThatNormalisationDeletesHasNoPieces) {
    const TemporaryFolder folder;
    VocabularyConfig config;
    config.type = VocabularyType::word;
    const SentencePieceTokenizer tokenizer(train_sample(folder, config, 120));
    const std::string text = "haus \x07 zzz wald\x07 \x07 \xEF\xB7\xBA kind";  // U+FDFA: normalised, four words
    const PieceWords found = read_words(text, tokenizer).numbered;
    EXPECT_EQ(found.words, between_blanks(text));
    EXPECT_EQ(found.of_piece, (Ranges{{0, 1}, {2, 3}, {3, 4}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {6, 7}}));
}

TEST(SourceWords, ATextWithoutWordsIsOne) {
    const TemporaryFolder folder;
    VocabularyConfig config;
    config.type = VocabularyType::bpe;
    config.normalization = "identity";
    const SentencePieceTokenizer tokenizer(train_sample(folder, config, 80));
    for (const std::string text : {"\xEF\xBF\xBD", "\xE3\x80\x80"}) {
        const std::size_t pieces = tokenizer.encode(text).size();
        ASSERT_GT(pieces, 0U);
        const SourceWords found = read_words(text, tokenizer);
        EXPECT_EQ(found.numbered.words, Words{text});
        EXPECT_EQ(found.numbered.of_piece, runs({pieces}));
        EXPECT_EQ(found.copied.words, Words{text});
    }
}

}  // namespace
}  // namespace softalign
