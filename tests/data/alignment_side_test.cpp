#include "data/alignment_side.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/corpus.h"
#include "data/fixtures.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

using Links = std::vector<std::pair<std::int32_t, std::int32_t>>;  // source, target

template <typename Link>
Links as_pairs(const std::vector<Link>& links) {
    Links pairs;
    for (const Link& link : links) {
        pairs.emplace_back(link.source, link.target);
    }
    return pairs;
}

TEST(ParseLinks, ReadsThemInAnyOrderAndEachOnce) {
    EXPECT_EQ(as_pairs(parse_links("2-1 0-0\t0-3  2-1 10-0 ")), (Links{{0, 0}, {0, 3}, {2, 1}, {10, 0}}));
    EXPECT_TRUE(parse_links("").empty());
    EXPECT_TRUE(parse_links(" \t ").empty());
}

TEST(ParseLinks, NothingElseIsALink) {
    for (const std::string field : {"1", "1-", "-1", "1-2-3", "-1-2", "1--2", "1:2", "a-b", "1-2x", "+1-2", "0x1-2",
                                    "99999999999-1", "1-2147483648", "1-2:0.5", "\xFF", "1-2,"}) {
        const std::string message = error_of(ExitCode::data, [&] { parse_links("0-0 " + field + " 1-1"); });
        EXPECT_TRUE(has(message, "is not a link; expected the numbers of a source and a target word from 0")) << field;
    }
    EXPECT_TRUE(has(error_of(ExitCode::data, [] { parse_links("3_4"); }), "\"3_4\" is not a link"));
}

TEST(LinksOfPieces, JoinAllPiecesOfBothWords) {
    const auto links = [](const std::string& words) {
        return as_pairs(links_of_pieces(parse_links(words), {0, 0, 1, 3}, {0, 1, 1}));
    };
    EXPECT_EQ(links("0-1"), (Links{{0, 1}, {0, 2}, {1, 1}, {1, 2}}));
    EXPECT_EQ(links("1-0 3-0"), (Links{{2, 0}, {3, 0}}));
    EXPECT_TRUE(links("2-0 7-1 1-2").empty());  // of words without pieces
}

class AlignedCorpus : public testing::Test {
protected:
    std::unique_ptr<Corpus> load(const CorpusStorage& storage = {}) {
        const std::string source = folder_.write("source", "ab c\nabcdef\n \nd e\n");
        const std::string target = folder_.write("target", "x yz\nx\ny\nz x\n");
        return load_corpus({source}, {target}, tokenizer_, tokenizer_, limits_, storage);
    }

    std::string fault(const std::string& alignments) {
        limits_.alignments = {folder_.write("faulty", alignments)};
        return error_of(ExitCode::data, [&] { load(); });
    }

    Links links(const Corpus& corpus, std::int64_t index, std::uint64_t key = 0) {
        return as_pairs(corpus.example(index, key).alignment);
    }

    TemporaryFolder folder_;
    LetterTokenizer tokenizer_;
    DataConfig limits_;
};

TEST_F(AlignedCorpus, LinksWordsPieceByPieceAndKeepsStepWithDroppedPairs) {
    limits_.max_source_length = 5;
    for (const bool packed : {false, true}) {
        const std::string text = "1-0 0-1\n0-0\n\n1-1\n";
        limits_.alignments = {folder_.write("alignments", packed ? gzip(text) : text)};
        for (const bool on_disk : {false, true}) {
            const auto corpus = load({false, on_disk ? folder_.path("") : ""});
            ASSERT_EQ(corpus->size(), 2);  // the second source is too long, the third empty
            EXPECT_EQ(links(*corpus, 0), (Links{{0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 0}}));
            EXPECT_EQ(links(*corpus, 1), (Links{{1, 1}}));
        }
    }
    const std::uint32_t checksum = load()->report().alignment_checksum;
    limits_.alignments = {folder_.write("other", "1-0 0-1\n0-0\n\n1-0\n")};
    EXPECT_NE(load()->report().alignment_checksum, checksum);
    limits_.alignments.clear();
    EXPECT_TRUE(links(*load(), 0).empty());
}

TEST_F(AlignedCorpus, RefusesFilesThatDoNotFitTheText) {
    EXPECT_TRUE(has(fault("0-0\n0-0\n\n0-0 1_1\n"), "faulty:4: \"1_1\" is not a link"));
    EXPECT_TRUE(has(fault("0-0\n0-0\n\n2-0\n"),
                    "faulty:4: the link 2-0 is beyond the source sentence, whose last word is number 1"));
    EXPECT_TRUE(has(fault("0-2\n0-0\n\n0-0\n"),
                    "faulty:1: the link 0-2 is beyond the target sentence, whose last word is number 1"));
    const std::string missing = fault("0-0\n0-0\n0-0\n");
    EXPECT_TRUE(has(missing, "data.alignments needs a line for each sentence pair")) << missing;
    EXPECT_TRUE(has(missing, "source has 4 lines")) << missing;
    EXPECT_TRUE(has(missing, "faulty has 3 lines")) << missing;
    EXPECT_TRUE(has(fault("0-0\n0-0\n\n0-0\n\n\n"), "faulty has 6 lines"));
    EXPECT_TRUE(has(fault(""), "faulty has 0 lines"));
    limits_.alignments = {folder_.path("absent")};
    EXPECT_TRUE(has(error_of(ExitCode::data, [&] { load(); }), "absent"));
}

// Words of texts whose spaces are not ASCII, and of one that is nothing but such a space.
TEST_F(AlignedCorpus, CountsWordsAsTheAlignmentsOfTranslationsDo) {
    VocabularyConfig vocabulary;
    vocabulary.normalization = "identity";
    const SentencePieceTokenizer tokenizer(train_sample(folder_, vocabulary, 60));
    const std::string source = folder_.write("spaces",
                                             "haus\xC2\xA0"
                                             "baum wald\n\xC2\xA0\n");
    const std::string target = folder_.write("plain", "wald baum haus\nhaus\n");
    const auto load_with = [&](const std::string& text) {
        limits_.alignments = {folder_.write("words", text)};
        return load_corpus({source}, {target}, tokenizer, tokenizer, limits_, {});
    };
    EXPECT_FALSE(load_with("0-2 1-1 2-0\n0-0\n")->example(0, 0).alignment.empty());
    EXPECT_TRUE(has(error_of(ExitCode::data, [&] { load_with("3-0\n0-0\n"); }), "whose last word is number 2"));
    EXPECT_TRUE(has(error_of(ExitCode::data, [&] { load_with("0-0\n1-0\n"); }), "whose last word is number 0"));
}

// Here every word begins with a piece that has the space symbol.
std::vector<std::int32_t> words_by_spaces(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
    std::vector<std::int32_t> words;
    for (const std::int32_t id : ids) {
        const bool begins = tokenizer.piece(id).compare(0, space_symbol.size(), space_symbol) == 0;
        words.push_back((words.empty() ? -1 : words.back()) + (begins ? 1 : 0));
    }
    return words;
}

TEST_F(AlignedCorpus, SampledSegmentationsHaveLinksOfTheirOwn) {
    VocabularyConfig vocabulary;
    vocabulary.type = VocabularyType::bpe;
    const SentencePieceTokenizer tokenizer(train_sample(folder_, vocabulary, 60), {0.4, -1});
    const std::string source = folder_.write("sampled.s", "hauser baumen waldchen\n");
    const std::string target = folder_.write("sampled.t", "waldchen hauser q baumen\n");  // q is unknown
    limits_.alignments = {folder_.write("sampled.a", "0-1 1-3 2-0 2-2\n")};
    const auto corpus = load_corpus({source}, {target}, tokenizer, tokenizer, limits_, {true, ""});
    std::set<std::size_t> sizes;
    for (std::uint64_t key = 0; key < 40; ++key) {
        const Example example = corpus->example(0, key);
        const std::vector<std::int32_t> sources = words_by_spaces(example.source, tokenizer);
        const std::vector<std::int32_t> targets = words_by_spaces(example.target, tokenizer);
        const std::set<std::pair<std::int32_t, std::int32_t>> linked{{0, 1}, {1, 3}, {2, 0}, {2, 2}};
        std::set<std::pair<std::int32_t, std::int32_t>> expected;
        for (std::size_t s = 0; s < sources.size(); ++s) {
            for (std::size_t t = 0; t < targets.size(); ++t) {
                if (linked.count({sources[s], targets[t]}) > 0) {
                    expected.emplace(s, t);
                }
            }
        }
        const Links found = as_pairs(example.alignment);
        EXPECT_EQ((std::set<std::pair<std::int32_t, std::int32_t>>(found.begin(), found.end())), expected);
        EXPECT_EQ(found.size(), expected.size());
        sizes.insert(found.size());
    }
    EXPECT_GT(sizes.size(), 5U);
}

class TaggingTokenizer : public LetterTokenizer {
public:
    std::vector<std::int32_t> encode(std::string_view text) const override {
        return text == "<bt>" ? std::vector<std::int32_t>{7} : LetterTokenizer::encode(text);
    }
    std::string piece(std::int32_t id) const override { return id == 7 ? "<bt>" : LetterTokenizer::piece(id); }
};

TEST_F(AlignedCorpus, TagsMoveTheLinksOfTheirFiles) {
    const TaggingTokenizer tokenizer;
    limits_.tags = {"", "<bt>"};
    limits_.alignments = {folder_.write("a1", "0-0\n"), folder_.write("a2", "1-0\n")};
    const auto corpus =
        load_corpus({folder_.write("s1", "a b\n"), folder_.write("s2", "c d\n")},
                    {folder_.write("t1", "x\n"), folder_.write("t2", "y\n")}, tokenizer, tokenizer, limits_, {});
    EXPECT_EQ(links(*corpus, 0), (Links{{0, 0}}));
    EXPECT_EQ(links(*corpus, 1), (Links{{2, 0}}));
}

TEST(AlignedBatch, KeepsTheLinksOfItsRows) {
    Example plain;
    plain.source = {4};
    plain.target = {5};
    Example linked = plain;
    linked.alignment = {{0, 0}};
    EXPECT_TRUE(make_batch({plain, plain}, {}).alignments.empty());
    const Batch batch = make_batch({plain, linked, plain}, {});
    ASSERT_EQ(batch.alignments.size(), 3U);
    EXPECT_EQ(as_pairs(rows_of(batch, 1, 3, {}).alignments.front()), (Links{{0, 0}}));
    EXPECT_TRUE(rows_of(batch, 1, 3, {}).alignments.back().empty());
    EXPECT_TRUE(rows_of(make_batch({plain}, {}), 0, 1, {}).alignments.empty());
}

}  // namespace
}  // namespace softalign
