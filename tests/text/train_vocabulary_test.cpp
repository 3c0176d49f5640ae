#include "text/trained_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

struct Sized {
    VocabularyType type;
    std::int64_t size;
};

class EveryType : public testing::TestWithParam<Sized> {
protected:
    VocabularyConfig config() const {
        VocabularyConfig config;
        config.type = GetParam().type;
        return config;
    }

    TemporaryFolder folder_;
};

TEST_P(EveryType, GivesTheSameBytesEachTime) {
    const std::string file = folder_.write("text", joined(sample_sentences()));
    const std::string packed = folder_.write("text.gz", gzip(joined(sample_sentences())));
    const auto first = train_vocabulary({file}, config(), GetParam().size, folder_.path("a"));
    train_vocabulary({packed}, config(), GetParam().size, folder_.path("b"));
    train_vocabulary_on(sample_sentences(), config(), GetParam().size, folder_.path("c"));
    EXPECT_EQ(first.sentences, 600);
    EXPECT_EQ(read_bytes(folder_.path("a")), read_bytes(folder_.path("b")));
    EXPECT_EQ(read_bytes(folder_.path("a")), read_bytes(folder_.path("c")));
    EXPECT_EQ(folder_.files(), 5U);  // nothing besides
    const SentencePieceTokenizer tokenizer(folder_.path("a"));
    EXPECT_EQ(tokenizer.size(), first.size);
    EXPECT_EQ(tokenizer.model(), GetParam().type);
}

TEST_P(EveryType, HasTheReservedIds) {
    const SentencePieceTokenizer tokenizer(train_sample(folder_, config(), GetParam().size));
    EXPECT_EQ(tokenizer.piece(0), "<pad>");
    EXPECT_EQ(tokenizer.piece(1), "<unk>");
    EXPECT_EQ(tokenizer.piece(2), "<s>");
    EXPECT_EQ(tokenizer.piece(3), "</s>");
    EXPECT_EQ(tokenizer.special().pad, 0);
    EXPECT_EQ(tokenizer.special().unk, 1);
    EXPECT_EQ(tokenizer.special().bos, 2);
    EXPECT_EQ(tokenizer.special().eos, 3);
}

TEST_P(EveryType, GivesTheTextBack) {
    const SentencePieceTokenizer tokenizer(train_sample(folder_, config(), 120));
    for (const std::string& sentence : sample_sentences()) {
        EXPECT_EQ(tokenizer.decode(tokenizer.encode(sentence)), sentence);
    }
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("  haus   baum ")), "haus baum");
    EXPECT_TRUE(tokenizer.encode("").empty());
    EXPECT_TRUE(tokenizer.encode("   ").empty());
    EXPECT_EQ(tokenizer.decode({}), "");
}

TEST_P(EveryType, TrainsOnAFixedSample) {
    VocabularyConfig sampled = config();
    sampled.training_sentences = 150;
    const auto first = train_vocabulary_on(sample_sentences(), sampled, 60, folder_.path("a"));
    train_vocabulary_on(sample_sentences(), sampled, 60, folder_.path("b"));
    train_vocabulary_on(sample_sentences(), config(), 60, folder_.path("all"));
    EXPECT_EQ(first.sentences, 150);
    EXPECT_EQ(read_bytes(folder_.path("a")), read_bytes(folder_.path("b")));
    EXPECT_NE(read_bytes(folder_.path("a")), read_bytes(folder_.path("all")));
}

TEST_P(EveryType, SpellsUnknownCharactersInBytes) {
    VocabularyConfig bytes = config();
    bytes.byte_fallback = true;
    const SentencePieceTokenizer tokenizer(train_sample(folder_, bytes, 256 + 60));
    const std::string text = "haus \xE4\xB8\xAD\xE6\x96\x87 baum qqq haus";
    const auto ids = tokenizer.encode(text);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer.special().unk), 0);
    EXPECT_EQ(tokenizer.decode(ids), text);
}

TEST_P(EveryType, SurvivesWordsAndLinesOfAnyLength) {
    std::vector<std::string> sentences = sample_sentences();
    sentences.push_back(std::string(20000, 'x'));
    sentences.push_back("kind " + std::string(70000, 'y') + " wald");
    std::string many_words;
    for (int i = 0; i < 20000; ++i) {
        many_words += "zebra ";
    }
    sentences.push_back(many_words);
    train_vocabulary_on(sentences, config(), 60, folder_.path("v"));
    const SentencePieceTokenizer tokenizer(folder_.path("v"));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(many_words)), many_words.substr(0, many_words.size() - 1));
    EXPECT_FALSE(tokenizer.encode(std::string(20000, 'x')).empty());
}

std::string type_name(const testing::TestParamInfo<Sized>& info) {
    const std::vector<std::string> names = {"unigram", "bpe", "word", "character"};
    return names[static_cast<std::size_t>(info.param.type)];
}

INSTANTIATE_TEST_SUITE_P(TrainVocabulary, EveryType,
                         testing::Values(Sized{VocabularyType::unigram, 80}, Sized{VocabularyType::bpe, 80},
                                         Sized{VocabularyType::word, 70}, Sized{VocabularyType::character, 20}),
                         type_name);

class TrainVocabulary : public testing::Test {
protected:
    std::string fault(ExitCode code, const VocabularyConfig& config, std::int64_t size) {
        return error_of(code, [&] { train_vocabulary_on(sample_sentences(), config, size, folder_.path("v")); });
    }

    TemporaryFolder folder_;
};

TEST_F(TrainVocabulary, KeepsTheMostFrequentWordsOrAllOfThem) {
    VocabularyConfig config;
    config.type = VocabularyType::word;
    const auto shortlist = train_vocabulary_on({"b b b", "a a", "c"}, config, 6, folder_.path("v"));
    EXPECT_EQ(shortlist.size, 6);
    const SentencePieceTokenizer tokenizer(folder_.path("v"));
    EXPECT_EQ(tokenizer.piece(4),
              "\xE2\x96\x81"
              "b");
    EXPECT_EQ(tokenizer.piece(5),
              "\xE2\x96\x81"
              "a");
    EXPECT_EQ(train_vocabulary_on({"b b b", "a a", "c"}, config, 30000, folder_.path("v")).size, 7);
}

TEST_F(TrainVocabulary, NamesTheLargestPossibleSize) {
    for (const VocabularyType type : {VocabularyType::unigram, VocabularyType::bpe}) {
        VocabularyConfig config;
        config.type = type;
        config.size = 50000;
        const std::string message = fault(ExitCode::configuration, config, 50000);
        const std::string wanted = "vocabulary.size: 50000 is too large for this text; the largest possible size is ";
        ASSERT_EQ(message.substr(0, wanted.size()), wanted);
        const std::int64_t largest = std::stoll(message.substr(wanted.size()));
        EXPECT_GT(largest, 50);
        EXPECT_EQ(train_vocabulary_on(sample_sentences(), config, largest, folder_.path("v")).size, largest);
        EXPECT_NE(fault(ExitCode::configuration, config, largest + 1), "");
    }
}

TEST_F(TrainVocabulary, NamesTheSmallestPossibleSize) {
    VocabularyConfig config;
    config.joint = false;
    config.target_size = 10;
    const std::string message = fault(ExitCode::configuration, config, 10);
    const std::string wanted =
        "vocabulary.target_size: 10 is too small for the characters of this text; the smallest possible size is ";
    ASSERT_EQ(message.substr(0, wanted.size()), wanted);
    EXPECT_NE(message.find("vocabulary.character_coverage"), std::string::npos);
    const std::int64_t smallest = std::stoll(message.substr(wanted.size()));
    EXPECT_EQ(train_vocabulary_on(sample_sentences(), config, smallest, folder_.path("v")).size, smallest);
}

TEST_F(TrainVocabulary, ChoosesASizeThatGrowsWithTheText) {
    std::vector<std::string> sentences(900);
    Random random(1);
    for (std::string& sentence : sentences) {
        for (int letter = 0; letter < 40; ++letter) {
            sentence += letter % 8 == 0 ? ' ' : static_cast<char>('a' + random.below(26));
        }
    }
    for (const VocabularyType type : {VocabularyType::unigram, VocabularyType::bpe}) {
        VocabularyConfig config;
        config.type = type;
        EXPECT_EQ(train_vocabulary_on(sentences, config, 0, folder_.path("v")).size, 1000);
        config.training_sentences = 400;  // of as many lines as before
        EXPECT_EQ(train_vocabulary_on(sentences, config, 0, folder_.path("v")).size, 1000);
        config.byte_fallback = true;
        EXPECT_EQ(train_vocabulary_on(sentences, config, 0, folder_.path("v")).size, 1256);
    }
}

TEST_F(TrainVocabulary, ChoosesASizeThatTheTextCanGive) {
    for (const VocabularyType type : {VocabularyType::unigram, VocabularyType::bpe}) {
        VocabularyConfig config;
        config.type = type;
        const std::vector<std::string> few = {"a dog runs", "a cat sits"};
        const std::int64_t most = train_vocabulary_on(few, config, 0, folder_.path("v")).size;
        EXPECT_LT(most, 100);
        EXPECT_NE(
            error_of(ExitCode::configuration, [&] { train_vocabulary_on(few, config, most + 1, folder_.path("v")); }),
            "");
        // 300 characters, and 100 pieces for 9 lines.
        std::vector<std::string> many(9);
        for (int i = 0; i < 300; ++i) {
            const std::string character = {'\xE4', static_cast<char>(0xB8 + i / 64), static_cast<char>(0x80 + i % 64)};
            many[static_cast<std::size_t>(i % 9)] += character + character + " " + character + "abcdefghij ";
        }
        const std::int64_t size = train_vocabulary_on(many, config, 0, folder_.path("v")).size;
        EXPECT_GT(size, 410);
        EXPECT_LT(size, 430);
    }
    VocabularyConfig config;
    config.type = VocabularyType::character;
    EXPECT_EQ(train_vocabulary_on({"abc", "cd"}, config, 0, folder_.path("v")).size, 9);
    EXPECT_NE(error_of(ExitCode::configuration, [&] { train_vocabulary_on({"a"}, {}, 0, folder_.path("v")); })
                  .find("gives only 6 pieces"),
              std::string::npos);
}

TEST_F(TrainVocabulary, ChecksItsOptions) {
    VocabularyConfig config;
    EXPECT_EQ(fault(ExitCode::configuration, config, 4),
              "vocabulary.size: 4 is out of range; 4 pieces are reserved, and there must be room for others");
    config.byte_fallback = true;
    EXPECT_NE(fault(ExitCode::configuration, config, 260).find("260 pieces are reserved"), std::string::npos);
    config = {};
    config.character_coverage = 0.5;
    EXPECT_EQ(fault(ExitCode::configuration, config, 80),
              "vocabulary.character_coverage: 0.5 is out of range; allowed are 0.98 to 1");
    config = {};
    config.normalization = "nfd";
    EXPECT_EQ(fault(ExitCode::configuration, config, 80),
              "vocabulary.normalization: unknown rule \"nfd\"; allowed are nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, "
              "identity");
    EXPECT_EQ(folder_.files(), 0U);
}

TEST_F(TrainVocabulary, LeavesOutTheRarestCharacters) {
    std::vector<std::string> sentences(200, "aaaa bbbb");
    sentences.push_back("q");
    VocabularyConfig config;
    config.type = VocabularyType::character;
    EXPECT_EQ(train_vocabulary_on(sentences, config, 100, folder_.path("v")).size, 8);
    config.character_coverage = 0.99;
    EXPECT_EQ(train_vocabulary_on(sentences, config, 100, folder_.path("v")).size, 7);
}

TEST_F(TrainVocabulary, NormalizesAsAsked) {
    const std::string wide = "\xEF\xBC\xA1";  // full-width A
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"nmt_nfkc", "A"}, {"nfkc", "A"}, {"nmt_nfkc_cf", "a"}, {"nfkc_cf", "a"}, {"identity", wide}};
    for (const auto& [rule, expected] : cases) {
        VocabularyConfig config;
        config.type = VocabularyType::character;
        config.normalization = rule;
        train_vocabulary_on({wide}, config, 100, folder_.path("v"));
        const SentencePieceTokenizer tokenizer(folder_.path("v"));
        EXPECT_EQ(tokenizer.decode(tokenizer.encode(wide)), expected) << rule;
    }
}

TEST_F(TrainVocabulary, WantsText) {
    const VocabularyConfig config;
    const std::string message = "there is no text to train a vocabulary on: every line is empty or was left out";
    for (const std::string blank : {"", "  ", "\xE3\x80\x80", "\xE2\x80\x8B", "\xE2\x96\x85"}) {
        EXPECT_EQ(error_of(ExitCode::data,
                           [&] {
                               train_vocabulary_on({blank, blank}, config, 80, folder_.path("v"));
                           }),
                  message);
    }
    EXPECT_EQ(error_of(ExitCode::data,
                       [&] {
                           train_vocabulary_on({std::string(5000, 'a'), ""}, config, 80, folder_.path("v"));
                       }),
              "there is no text to train a vocabulary on: words of more than 4192 bytes are left out, and there are no "
              "others; are spaces or line ends missing?");
    const std::string empty = folder_.write("empty", "");
    EXPECT_EQ(error_of(ExitCode::data, [&] { train_vocabulary({empty}, config, 80, folder_.path("v")); }),
              empty + ": the file is empty");
}

// vocabulary.size is at least 8.
TEST_F(TrainVocabulary, ATextTooSmallForAnySize) {
    const VocabularyConfig config;
    EXPECT_EQ(error_of(ExitCode::configuration, [&] { train_vocabulary_on({"a"}, config, 80, folder_.path("v")); }),
              "the text is too small for a vocabulary of type unigram: it gives only 6 pieces; train on more text, or "
              "use vocabulary.type: word or char");
}

TEST_F(TrainVocabulary, RefusesOrSkipsInvalidUtf8) {
    const std::string file = folder_.write("text", joined(sample_sentences()) + "gr\xFCn\n");
    const VocabularyConfig config;
    EXPECT_NE(error_of(ExitCode::data, [&] { train_vocabulary({file}, config, 80, folder_.path("v")); })
                  .find(file + ":601:3: invalid UTF-8"),
              std::string::npos);
    const auto result = train_vocabulary({file}, config, 80, folder_.path("v"), BadLine::skip);
    EXPECT_EQ(result.bad_encoding, 1);
    EXPECT_EQ(result.sentences, 600);
}

}  // namespace
}  // namespace softalign
