#include "text/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "text/fixtures.h"
#include "text/trained_vocabulary.h"
#include "text/words.h"

namespace softalign {
namespace {

using Ids = std::vector<std::int32_t>;
using Numbers = std::vector<std::size_t>;
using Pieces = std::vector<std::string>;

Pieces spellings(const SentencePieceTokenizer& tokenizer, std::string_view text) {
    Pieces pieces;
    for (const auto& [piece, id] : tokenizer.segment(text)) {
        pieces.push_back(id == tokenizer.special().unk ? piece : tokenizer.spelling(id));
    }
    return pieces;
}

// Of each piece, the number of its first word.
Numbers word_numbers(const SentencePieceTokenizer& tokenizer, std::string_view text) {
    Numbers numbers;
    for (const WordRange& range : word_ranges(tokenizer.words(text), spellings(tokenizer, text),
                                              [&](std::string_view word) { return spellings(tokenizer, word); })) {
        numbers.push_back(range.begin);
    }
    return numbers;
}

class SentencePieceTokenizerTest : public testing::Test {
protected:
    std::string train(VocabularyType type, std::int64_t size) {
        VocabularyConfig config;
        config.type = type;
        return train_sample(folder_, config, size);
    }

    // As spm_train would write it, with options of its own.
    std::string foreign_model(std::unordered_map<std::string, std::string> options) {
        const std::string text = folder_.write("text", joined(sample_sentences()));
        options.insert(
            {{"input", text}, {"model_prefix", folder_.path("foreign")}, {"vocab_size", "80"}, {"minloglevel", "3"}});
        EXPECT_TRUE(sentencepiece::SentencePieceTrainer::Train(options).ok());
        return folder_.path("foreign.model");
    }

    TemporaryFolder folder_;
};

TEST_F(SentencePieceTokenizerTest, SilentIdsAreThoseThatDecodeToNothing) {
    EXPECT_EQ(SentencePieceTokenizer(train(VocabularyType::bpe, 80)).silent_ids(), (Ids{0, 2}));
    const SentencePieceTokenizer foreign(
        foreign_model({{"control_symbols", "<first>,<second>"}, {"bos_id", "-1"}, {"eos_id", "1"}, {"unk_id", "0"}}));
    EXPECT_EQ(foreign.silent_ids(), (Ids{2, 3}));
    for (std::int32_t id = 0; id < foreign.size(); ++id) {
        const Ids silent = foreign.silent_ids();
        const bool is_silent = std::count(silent.begin(), silent.end(), id) > 0;
        EXPECT_EQ(foreign.decode({4, id}) == foreign.decode({4}) && id != foreign.special().eos, is_silent) << id;
    }
}

TEST_F(SentencePieceTokenizerTest, SaysWhatIsWrongWithAFile) {
    const std::string missing = folder_.path("missing.spm");
    EXPECT_EQ(error_of(ExitCode::model, [&] { SentencePieceTokenizer tokenizer(missing); }),
              "the vocabulary cannot be read: " + missing + ": cannot open the file: No such file or directory");
    const std::string good = read_bytes(train(VocabularyType::bpe, 80));
    const std::vector<std::pair<std::string, std::string>> others = {
        {"", "it cannot be loaded"},
        {"a text file\n", "it is another kind of file, or damaged"},
        {std::string(5000, '\xFF'), "it is another kind of file, or damaged"},
        {good.substr(0, good.size() / 2), "it is another kind of file, or damaged"}};
    for (const auto& [bytes, fault] : others) {
        const std::string path = folder_.write("other", bytes);
        EXPECT_EQ(error_of(ExitCode::model, [&] { SentencePieceTokenizer tokenizer(path); }),
                  path + ": is not a SentencePiece model (" + std::to_string(bytes.size()) + " bytes): " + fault +
                      "; give a file that `softalign vocab train` or spm_train wrote");
    }
}

TEST_F(SentencePieceTokenizerTest, TakesModelsOfOthers) {
    const SentencePieceTokenizer tokenizer(foreign_model({}));  // SentencePiece's defaults: unk 0, bos 1, eos 2
    EXPECT_EQ(tokenizer.special().unk, 0);
    EXPECT_EQ(tokenizer.special().bos, 1);
    EXPECT_EQ(tokenizer.special().eos, 2);
    EXPECT_EQ(tokenizer.special().pad, 2) << "no padding id: eos pads";
    Ids between = tokenizer.encode("haus");
    between.insert(between.begin(), 1);
    between.push_back(2);
    EXPECT_EQ(tokenizer.decode(between), "haus");
}

TEST_F(SentencePieceTokenizerTest, StartsFromEosWithoutBos) {
    const SentencePieceTokenizer tokenizer(foreign_model({{"bos_id", "-1"}, {"pad_id", "3"}, {"eos_id", "1"}}));
    EXPECT_EQ(tokenizer.special().bos, 1);
    EXPECT_EQ(tokenizer.special().eos, 1);
    EXPECT_EQ(tokenizer.special().pad, 3);
}

TEST_F(SentencePieceTokenizerTest, WantsAnEndOfSentence) {
    const std::string path = foreign_model({{"eos_id", "-1"}});
    EXPECT_NE(error_of(ExitCode::model, [&] { SentencePieceTokenizer tokenizer(path); })
                  .find(path + ": the vocabulary has no end-of-sentence piece"),
              std::string::npos);
}

TEST_F(SentencePieceTokenizerTest, CountsUnknownWordsOneByOne) {
    const SentencePieceTokenizer tokenizer(train(VocabularyType::word, 300));
    const std::int32_t unk = tokenizer.special().unk;
    const Ids ids = tokenizer.encode("foo bar haus baz");
    ASSERT_EQ(ids.size(), 4U);
    EXPECT_EQ(ids, Ids({unk, unk, ids[2], unk}));
    EXPECT_NE(ids[2], unk);
    EXPECT_EQ(tokenizer.decode(ids), "<unk> <unk> haus <unk>");
    const auto segments = tokenizer.segment("foo bar haus");
    ASSERT_EQ(segments.size(), 3U);
    EXPECT_EQ(segments[1].first,
              "\xE2\x96\x81"
              "bar");
    EXPECT_EQ(tokenizer.decode_pieces({segments[0].first, segments[1].first, segments[2].first}), "foo bar haus");
}

TEST_F(SentencePieceTokenizerTest, WritesUnknownPiecesWithSingleSpaces) {
    const SentencePieceTokenizer tokenizer(train(VocabularyType::bpe, 80));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("haus \xE4\xB8\xAD\xE6\x96\x87 wald")), "haus \xE2\x81\x87 wald");
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("\xE4\xB8\xAD")), "\xE2\x81\x87");
}

TEST_F(SentencePieceTokenizerTest, TellsTheWordOfEachPiece) {
    // With characters that NFKC writes anew, several spaces, unknown characters and words side by side.
    const std::string text =
        "  gartenkeit  \xE4\xB8\xAD\xE6\x96\x87haus \xEF\xBC\xA6oo\xC2\xA0"
        "bar\xE2\x80\xA6 seh seh ";
    ASSERT_EQ(words_of(text).size(), 6U);
    for (const VocabularyType type :
         {VocabularyType::unigram, VocabularyType::bpe, VocabularyType::word, VocabularyType::character}) {
        SCOPED_TRACE(static_cast<int>(type));
        const SentencePieceTokenizer tokenizer(train(type, type == VocabularyType::character ? 30 : 120));
        const Numbers words = word_numbers(tokenizer, text);
        const auto segments = tokenizer.segment(text);
        ASSERT_EQ(words.size(), segments.size());
        if (type == VocabularyType::word) {
            EXPECT_EQ(words, (Numbers{0, 1, 2, 3, 4, 5}));
        }
        std::size_t at = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool begins = segments[i].first.compare(0, 3, "\xE2\x96\x81") == 0;
            at += i > 0 && begins ? 1 : 0;
            EXPECT_EQ(words[i], at) << segments[i].first;
        }
        EXPECT_EQ(at, 5U);
    }
}

TEST_F(SentencePieceTokenizerTest, BytesArePartOfTheirWord) {
    VocabularyConfig config;
    config.type = VocabularyType::bpe;
    config.byte_fallback = true;
    const SentencePieceTokenizer tokenizer(train_sample(folder_, config, 340));
    const Numbers words = word_numbers(tokenizer, "haus a\xE4\xB8\xADn wald");
    ASSERT_EQ(words.size(), tokenizer.encode("haus a\xE4\xB8\xADn wald").size());
    EXPECT_EQ(words.front(), 0U);
    EXPECT_EQ(words.back(), 2U);
    EXPECT_GE(std::count(words.begin(), words.end(), 1U), 5);
    EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
}

// Of words that come to nothing, lose characters, come out as several, or are unknown, in any order. Each word keeps
// the pieces that it has alone.
TEST_F(SentencePieceTokenizerTest, NormalisationShiftsNoWord) {
    const std::vector<std::string> parts = {"haus",
                                            "\x07",
                                            "wal\x07"
                                            "d",
                                            "\x1B\x01",
                                            "\x07garten",
                                            "baum\x07",
                                            "\xEF\xB7\xBA",
                                            "zzz",
                                            "\xC2\xA8",
                                            "\xE4\xB8\xAD\xE6\x96\x87",
                                            "q\xEF\xBF\xBDq"};
    for (const VocabularyType type : {VocabularyType::bpe, VocabularyType::word, VocabularyType::character}) {
        for (const bool byte_fallback : {false, true}) {
            VocabularyConfig config;
            config.type = type;
            config.byte_fallback = byte_fallback && type == VocabularyType::bpe;
            const std::int64_t size = type == VocabularyType::character ? 30 : 120;
            const SentencePieceTokenizer tokenizer(
                train_sample(folder_, config, config.byte_fallback ? size + 256 : size));
            Random random(5);
            for (int trial = 0; trial < 200; ++trial) {
                std::string text;
                Numbers expected;
                std::size_t word = 0;
                for (std::uint64_t count = 1 + random.below(8); count > 0; --count) {
                    const std::string& part = parts[random.below(parts.size())];
                    text += (text.empty() ? "" : " ") + part;
                    for (const std::string_view one : tokenizer.words(part)) {
                        expected.insert(expected.end(), tokenizer.encode(one).size(), word++);
                    }
                }
                EXPECT_EQ(word_numbers(tokenizer, text), expected) << text;
            }
        }
    }
}

TEST_F(SentencePieceTokenizerTest, ATextWithoutWordsHasNone) {
    const SentencePieceTokenizer tokenizer(train(VocabularyType::word, 120));
    EXPECT_TRUE(word_numbers(tokenizer, "").empty());
    EXPECT_TRUE(word_numbers(tokenizer, " \t ").empty());
}

TEST_F(SentencePieceTokenizerTest, NeverGivesControlPiecesForText) {
    for (const VocabularyType type :
         {VocabularyType::unigram, VocabularyType::bpe, VocabularyType::word, VocabularyType::character}) {
        const SentencePieceTokenizer tokenizer(train(type, type == VocabularyType::character ? 30 : 80));
        for (const std::string text : {"<s>", "</s>", "<pad> haus </s>", "haus</s>"}) {
            for (const std::int32_t id : tokenizer.encode(text)) {
                EXPECT_NE(id, tokenizer.special().pad);
                EXPECT_NE(id, tokenizer.special().bos);
                EXPECT_NE(id, tokenizer.special().eos);
            }
        }
    }
}

TEST_F(SentencePieceTokenizerTest, TakesAnyBytes) {
    const SentencePieceTokenizer tokenizer(train(VocabularyType::unigram, 80));
    using namespace std::string_literals;
    for (const std::string& text : {"\xFF\xFE"s, "haus\0baum"s, "\xED\xA0\x80"s, "\xE2\x96\x81"s, "\t\n"s}) {
        tokenizer.decode(tokenizer.encode(text));
        tokenizer.sample(text, 1);
        EXPECT_EQ(word_numbers(tokenizer, text).size(), tokenizer.encode(text).size());
    }
}

TEST_F(SentencePieceTokenizerTest, RefusesIdsOfAnotherVocabulary) {
    const std::string path = train(VocabularyType::bpe, 80);
    const SentencePieceTokenizer tokenizer(path);
    const std::string message = ": there is no piece 80; the vocabulary has ids 0 to 79";
    EXPECT_EQ(error_of(ExitCode::model, [&] { tokenizer.decode({5, 80}); }), path + message);
    EXPECT_EQ(error_of(ExitCode::model, [&] { tokenizer.piece(80); }), path + message);
    EXPECT_NE(error_of(ExitCode::model, [&] { tokenizer.decode({-1}); }), "");
}

// Sampling: a function of text and key, in any thread and instance; the text stays the same.
class Sampling : public SentencePieceTokenizerTest,
                 public testing::WithParamInterface<std::pair<VocabularyType, SamplingOptions>> {};

TEST_P(Sampling, DependsOnTextAndKeyAlone) {
    const auto [type, options] = GetParam();
    const std::string path = train(type, 120);
    const SentencePieceTokenizer tokenizer(path, options);
    const SentencePieceTokenizer other(path, options);
    const std::string text = "hausen gr\xC3\xBCnlich kleinkeit spielung waldes";
    std::vector<Ids> drawn;
    std::set<Ids> distinct;
    for (std::uint64_t key = 1; key <= 40; ++key) {
        drawn.push_back(tokenizer.sample(text, key));
        distinct.insert(drawn.back());
        EXPECT_EQ(tokenizer.decode(drawn.back()), text);
        tokenizer.sample("haus", key + 7);  // what is drawn in between changes nothing
        EXPECT_EQ(other.sample(text, key), drawn.back());
    }
    EXPECT_GT(distinct.size(), 3U);
    EXPECT_EQ(tokenizer.encode(text), SentencePieceTokenizer(path).encode(text));

    std::vector<Ids> elsewhere(drawn.size());
    std::vector<std::thread> threads;
    for (std::size_t first = 0; first < 4; ++first) {
        threads.emplace_back([&, first] {
            for (std::size_t i = first; i < elsewhere.size(); i += 4) {
                elsewhere[i] = tokenizer.sample(text, i + 1);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(elsewhere, drawn);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Sampling,
                         testing::Values(std::make_pair(VocabularyType::unigram, SamplingOptions{0.2, -1}),
                                         std::make_pair(VocabularyType::unigram, SamplingOptions{0.2, 32}),
                                         std::make_pair(VocabularyType::bpe, SamplingOptions{0.3, -1})));

TEST_F(SentencePieceTokenizerTest, DropsMoreMergesWithALargerAlpha) {
    const std::string path = train(VocabularyType::bpe, 150);
    const std::string text = "hausen kleinkeit spielung waldes";
    const auto mean_length = [&](double alpha) {
        const SentencePieceTokenizer tokenizer(path, {alpha, -1});
        double sum = 0;
        for (std::uint64_t key = 1; key <= 200; ++key) {
            sum += static_cast<double>(tokenizer.sample(text, key).size());
        }
        return sum / 200;
    };
    const auto whole = static_cast<double>(SentencePieceTokenizer(path).encode(text).size());
    EXPECT_EQ(mean_length(0.0), whole);
    EXPECT_GT(mean_length(0.1), whole);
    EXPECT_GT(mean_length(0.5), mean_length(0.1));
    EXPECT_EQ(mean_length(1.0), 33.0);  // every character, and a space before the first word
}

TEST_F(SentencePieceTokenizerTest, SamplesNothingFromWordsAndCharacters) {
    for (const VocabularyType type : {VocabularyType::word, VocabularyType::character}) {
        const SentencePieceTokenizer tokenizer(train(type, 90), {0.5, -1});
        EXPECT_EQ(tokenizer.sample("haus foo baumen", 3), tokenizer.encode("haus foo baumen"));
    }
}

TEST_F(SentencePieceTokenizerTest, SamplesLongSentencesToo) {
    const SentencePieceTokenizer tokenizer(train(VocabularyType::unigram, 80), {0.5, 32});
    std::string text;
    for (int i = 0; i < 200; ++i) {
        text += "haus baumen spielung ";  // together too improbable for a float
    }
    std::set<std::vector<std::int32_t>> drawn;
    for (std::uint64_t key = 1; key <= 10; ++key) {
        drawn.insert(tokenizer.sample(text, key));
    }
    EXPECT_GT(drawn.size(), 1U);
}

TEST_F(SentencePieceTokenizerTest, LimitsTheCandidatesOfSampling) {
    const std::string path = train(VocabularyType::unigram, 80);
    EXPECT_EQ(error_of(ExitCode::configuration,
                       [&] {
                           SentencePieceTokenizer tokenizer(path, {0.1, 513});
                       }),
              "vocabulary.sampling_nbest is 513; allowed are at most 512, or -1 for all segmentations");
}

}  // namespace
}  // namespace softalign
