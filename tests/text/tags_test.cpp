#include "text/tags.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {

namespace {

const std::vector<std::string> sentences = {"the old woman reads a newspaper", "a man reads", "the man and the woman"};

class Tags : public testing::TestWithParam<VocabularyType> {
protected:
    VocabularyBytes trained(const std::string& normalization = "nmt_nfkc") const {
        VocabularyConfig config;
        config.type = GetParam();
        config.normalization = normalization;
        const std::int64_t size =
            GetParam() == VocabularyType::word || GetParam() == VocabularyType::character ? 60 : 23;
        train_vocabulary_on(sentences, config, size, folder_.path("v.spm"));
        return read_vocabulary(folder_.path("v.spm"));
    }

    TemporaryFolder folder_;
};

using Ids = std::vector<std::int32_t>;

TEST_P(Tags, ATypedTagIsEncodedAsTheTagThatTrainingPutsThere) {
    const VocabularyBytes file = trained();
    const SentencePieceTokenizer before(file);
    const SentencePieceTokenizer tokenizer(with_tags(file, {"<bt>", "", "<news>", "<bt>"}));
    EXPECT_EQ(tokenizer.size(), before.size() + 2);
    EXPECT_EQ(tokenizer.model(), before.model());
    const std::string text = "the man reads a newspaper";
    for (const char* tag : {"<bt>", "<news>"}) {
        Ids expected = tag_ids(tokenizer, tag);
        const Ids plain = tokenizer.encode(text);
        EXPECT_EQ(plain, before.encode(text));
        EXPECT_GE(expected.back(), before.size()) << "the tag is the new piece, whole";
        EXPECT_LE(expected.size(), 2U);
        expected.insert(expected.end(), plain.begin(), plain.end());
        EXPECT_EQ(tokenizer.encode(tag + (" " + text)), expected);
        EXPECT_EQ(tokenizer.sample(tag, 7), tag_ids(tokenizer, tag));
    }
    EXPECT_NE(tag_ids(tokenizer, "<bt>"), tag_ids(tokenizer, "<news>"));
    EXPECT_EQ(tokenizer.special().eos, before.special().eos);
}

TEST_P(Tags, AVocabularyThatHasThemStaysAsItIs) {
    const VocabularyBytes tagged = with_tags(trained(), {"<bt>"});
    EXPECT_EQ(with_tags(tagged, {"<bt>", ""}).bytes, tagged.bytes);
    EXPECT_EQ(with_tags(trained(), {}).bytes, trained().bytes);
}

TEST_P(Tags, OneThatIsASpecialPieceIsRefused) {
    const SentencePieceTokenizer plain(trained());
    const SpecialIds special = plain.special();
    for (const std::int32_t id : {special.pad, special.unk, special.bos, special.eos}) {
        const std::string tag = plain.piece(id);
        const std::string message = error_of(ExitCode::configuration, [&] { with_tags(trained(), {tag}); });
        EXPECT_EQ(message.rfind("data.tags: " + tag + " already has a meaning", 0), 0U) << message;
    }
}

TEST_P(Tags, OneThatIsNoPieceIsRefused) {
    const SentencePieceTokenizer tokenizer(trained());
    const std::string message = error_of(ExitCode::configuration, [&] { tag_ids(tokenizer, "<bt>"); });
    EXPECT_NE(message.find("the vocabulary has no piece for <bt>"), std::string::npos) << message;
}

TEST(TagsLikeWords, AreRefused) {
    for (const char* tag : {"back", "<back", "back>", "...", "-", "2de", "\u27e8bt\u27e9"}) {
        const std::string message = error_of(ExitCode::configuration, [&] { require_unlike_words({"", tag}); });
        EXPECT_NE(message.find(std::string(tag) + " could be part of a word"), std::string::npos) << message;
    }
    require_unlike_words({"", "<bt>", "__bt__", "[2de]", "@\u00fc@"});
}

INSTANTIATE_TEST_SUITE_P(Types, Tags,
                         testing::Values(VocabularyType::unigram, VocabularyType::bpe, VocabularyType::word,
                                         VocabularyType::character));

}  // namespace

}  // namespace softalign
