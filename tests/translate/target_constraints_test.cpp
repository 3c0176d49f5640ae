#include "translate/target_constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/words.h"

namespace softalign {
namespace {

std::int64_t size_of(const VocabularyConfig& config) {
    return (config.type == VocabularyType::character ? 30 : 110) + (config.byte_fallback ? 256 : 0);
}

class TargetConstraintsTest : public testing::TestWithParam<VocabularyType> {
protected:
    TargetConstraintsTest() { tokenizer_ = vocabulary({}); }

    std::unique_ptr<SentencePieceTokenizer> vocabulary(VocabularyConfig config) const {
        config.type = GetParam();
        return std::make_unique<SentencePieceTokenizer>(train_sample(folder_, config, size_of(config)));
    }

    TemporaryFolder folder_;
    std::unique_ptr<SentencePieceTokenizer> tokenizer_;
};

// Outputs that walk through the graph, at each node by an edge at random, and end where they may.
std::set<std::string> texts(const Tokenizer& tokenizer, const std::string& start) {
    const PrefixGraph graph = TargetConstraints(tokenizer).starts_with(start);
    Random random(1);
    std::set<std::string> result;
    for (int walk = 0; walk < 200; ++walk) {
        std::vector<std::int32_t> ids;
        for (std::int32_t node = 0; !graph.complete(node);) {
            if (node == graph.may_end && random.below(2) == 0) {
                break;
            }
            const auto& edges = graph.nodes[static_cast<std::size_t>(node)];
            const PrefixGraph::Edge& edge = edges[random.below(edges.size())];
            ids.push_back(edge.token);
            node = edge.to;
        }
        result.insert(tokenizer.decode(ids));
    }
    return result;
}

// Whether an output of these pieces starts as the graph says.
bool accepts(const PrefixGraph& graph, const std::vector<std::int32_t>& ids) {
    std::int32_t node = 0;
    for (const std::int32_t id : ids) {
        if (graph.complete(node)) {
            return true;
        }
        const auto& edges = graph.nodes[static_cast<std::size_t>(node)];
        if (std::none_of(edges.begin(), edges.end(), [&](const PrefixGraph::Edge& edge) { return edge.token == id; })) {
            return false;
        }
        node = graph.next(node, id);
    }
    return graph.complete(node) || node == graph.may_end;
}

// A text as the tokenizer reads it.
std::string normalized(const Tokenizer& tokenizer, const std::string& text) {
    std::string pieces;
    for (const auto& [piece, id] : tokenizer.segment(text)) {
        pieces += id == tokenizer.special().unk ? piece : tokenizer.spelling(id);
    }
    std::string result;
    for (const std::string_view word : words_of(pieces, {space_symbol})) {
        result += (result.empty() ? "" : " ") + std::string(word);
    }
    return result;
}

// Every output that the graph of a start allows begins so.
void expect_written(const Tokenizer& tokenizer, const std::string& start) {
    const std::string expected = normalized(tokenizer, start);
    for (const std::string& found : texts(tokenizer, start)) {
        EXPECT_EQ(found.substr(0, expected.size()), expected) << start;
        if (start.back() == ' ' && found.size() > expected.size()) {
            EXPECT_EQ(found[expected.size()], ' ') << start << "|" << found;
        }
    }
}

// Cuts some sentences at every character: they must be accepted behind each start.
void expect_all_starts(const Tokenizer& tokenizer, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
        for (std::size_t bytes = 1; bytes <= sentence.size(); ++bytes) {
            if (bytes == sentence.size() || (static_cast<unsigned char>(sentence[bytes]) & 0xC0) != 0x80) {
                const std::string start = sentence.substr(0, bytes);
                const PrefixGraph graph = TargetConstraints(tokenizer).starts_with(start);
                EXPECT_TRUE(accepts(graph, tokenizer.encode(sentence))) << start << "|" << sentence;
                expect_written(tokenizer, start);
            }
        }
    }
}

std::vector<std::string> some_sentences(std::size_t count) {
    std::vector<std::string> sentences = sample_sentences();
    sentences.resize(count);
    return sentences;
}

std::string upper(std::string text) {
    for (char& letter : text) {
        letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    }
    return text;
}

// In full-width letters.
std::string wide(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        const bool narrow = letter >= 'a' && letter <= 'z';
        result += narrow ? std::string("\xEF\xBD") + static_cast<char>(letter - 'a' + 0x81) : std::string(1, letter);
    }
    return result;
}

// Some pieces of a vocabulary, as if they were control pieces.
class WithControlPieces : public SentencePieceTokenizer {
public:
    using SentencePieceTokenizer::SentencePieceTokenizer;
    std::vector<std::int32_t> silent_ids() const override {
        std::vector<std::int32_t> ids;
        for (std::int32_t id = 0; id < size(); id += 2) {
            ids.push_back(id);
        }
        return ids;
    }
};

TEST_P(TargetConstraintsTest, NoStartGoesOnWithASilentPiece) {
    VocabularyConfig config;
    config.type = GetParam();
    const WithControlPieces tokenizer(
        train_sample(folder_, config, GetParam() == VocabularyType::character ? 30 : 110));
    const PrefixGraph graph = TargetConstraints(tokenizer).starts_with("haus ");
    if (GetParam() == VocabularyType::character) {
        EXPECT_EQ(graph.may_end, -1);  // the space itself is silent
        return;
    }
    ASSERT_GE(graph.may_end, 1);
    for (const PrefixGraph::Edge& edge : graph.nodes[static_cast<std::size_t>(graph.may_end)]) {
        EXPECT_EQ(edge.token % 2, 1);
    }
}

TEST_P(TargetConstraintsTest, StartsAreWhatTextsBeginWith) {
    expect_all_starts(*tokenizer_, some_sentences(12));
    for (const std::string start : {"haus", "baum klei", "gr\xC3\xBCnlich  wa", "kinder h", "alt", "alt  ", " alt "}) {
        EXPECT_FALSE(texts(*tokenizer_, start).empty());
        expect_written(*tokenizer_, start);
    }
}

TEST_P(TargetConstraintsTest, StartsAreNormalized) {
    VocabularyConfig config;
    config.normalization = "nmt_nfkc_cf";
    const auto folding = vocabulary(config);
    std::vector<std::string> sentences = some_sentences(6);
    std::transform(sentences.begin(), sentences.end(), sentences.begin(), upper);
    expect_all_starts(*folding, sentences);
    std::transform(sentences.begin(), sentences.end(), sentences.begin(), wide);
    expect_all_starts(*folding, sentences);
    sentences = some_sentences(6);
    std::transform(sentences.begin(), sentences.end(), sentences.begin(), wide);
    expect_all_starts(*tokenizer_, sentences);
    // Only the beginning of a word that is known; a letter with its dots behind it; spaces of other kinds.
    EXPECT_EQ(texts(*folding, "BAUM Spi"), texts(*folding, "baum spi"));
    EXPECT_EQ(texts(*tokenizer_, "gru\xCC\x88"), texts(*tokenizer_, "gr\xC3\xBC"));
    EXPECT_EQ(texts(*tokenizer_, "baum\xE3\x80\x80"), texts(*tokenizer_, "baum "));
    EXPECT_EQ(texts(*tokenizer_, "baum \x07"), texts(*tokenizer_, "baum "));
    EXPECT_EQ(texts(*tokenizer_, "ba\x07um"), texts(*tokenizer_, "baum"));
}

TEST_P(TargetConstraintsTest, BytesSpellWhatIsUnknown) {
    if (GetParam() == VocabularyType::word || GetParam() == VocabularyType::character) {
        return;  // they have none
    }
    VocabularyConfig config;
    config.byte_fallback = true;
    const auto with_bytes = vocabulary(config);
    expect_all_starts(*with_bytes, {"haus \xE2\x98\x83q kind", "\xE2\x98\x83haus kinder \xE2\x98\x83"});
}

// Other ways than ours to write white space, as vocabularies of others have them: fields of the file's messages, which
// count when they come last.
TEST_P(TargetConstraintsTest, WhiteSpaceMayBeWrittenOtherwise) {
    const std::string keeps_spaces("\x1A\x02\x20\x00", 4);
    const std::string no_first_space("\x1A\x02\x18\x00", 4);
    const std::string behind_words("\x12\x03\xC0\x01\x01", 5);
    VocabularyConfig config;
    config.type = GetParam();
    const std::string bytes = read_bytes(train_sample(folder_, config, size_of(config)));
    for (const std::string& change : {keeps_spaces, no_first_space, behind_words}) {
        if (GetParam() != VocabularyType::character && change != keeps_spaces) {
            continue;  // the pieces would not fit
        }
        const SentencePieceTokenizer tokenizer(VocabularyBytes{"changed", bytes + change});
        expect_all_starts(tokenizer, some_sentences(4));
        EXPECT_TRUE(TargetConstraints(tokenizer).starts_with("  ").nodes.empty());
    }
}

TEST_P(TargetConstraintsTest, ACutWordMayGoOn) {
    if (GetParam() == VocabularyType::character) {
        return;  // its pieces never write more than was asked
    }
    bool longer = false;
    for (const std::string& text : texts(*tokenizer_, "baum kl")) {
        longer = longer || text.size() > std::string("baum kl").size();
    }
    EXPECT_TRUE(longer);
}

TEST_P(TargetConstraintsTest, BehindACompleteWordANewOneBeginsOrNothing) {
    const TargetConstraints constraints(*tokenizer_);
    const PrefixGraph graph = constraints.starts_with("baum haus ");
    const std::vector<std::int32_t> ids = tokenizer_->encode("baum haus");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ASSERT_EQ(graph.nodes[i].size(), 1U);
        EXPECT_EQ(graph.nodes[i].front().token, ids[i]);
    }
    ASSERT_EQ(graph.may_end, static_cast<std::int32_t>(ids.size()));
    std::int64_t unknown = 0;
    for (const PrefixGraph::Edge& edge : graph.nodes[ids.size()]) {
        const bool mark = tokenizer_->piece(edge.token).rfind("\xE2\x96\x81", 0) == 0;
        unknown += edge.token == tokenizer_->special().unk ? 1 : 0;
        EXPECT_TRUE(mark || edge.token == tokenizer_->special().unk);
        EXPECT_TRUE(graph.complete(edge.to));
    }
    EXPECT_EQ(unknown, 1);
    EXPECT_EQ(constraints.starts_with("baum haus").may_end, -1);
}

TEST_P(TargetConstraintsTest, WhatTheVocabularyCannotWriteIsForcedAsUnknown) {
    const TargetConstraints constraints(*tokenizer_);
    const PrefixGraph graph = constraints.starts_with("haus \xE2\x98\x83q");
    std::set<std::int32_t> tokens;
    for (const auto& node : graph.nodes) {
        for (const PrefixGraph::Edge& edge : node) {
            tokens.insert(edge.token);
        }
    }
    EXPECT_EQ(tokens.count(tokenizer_->special().unk), 1U);
}

TEST_P(TargetConstraintsTest, BehindAnUnknownLetterAWordMayGoOn) {
    if (GetParam() != VocabularyType::bpe) {
        return;  // the pieces of these are words or letters here
    }
    const std::set<std::string> found = texts(*tokenizer_, "\xE2\x98\x83li");
    EXPECT_GT(found.size(), 1U);
    for (const std::string& text : found) {
        EXPECT_EQ(text.find(" li"), text.find(' ')) << text;
    }
}

TEST_P(TargetConstraintsTest, NothingAsksForNothing) {
    const TargetConstraints constraints(*tokenizer_);
    EXPECT_TRUE(constraints.starts_with("").nodes.empty());
    EXPECT_TRUE(constraints.starts_with("  ").nodes.empty());
    EXPECT_TRUE(constraints.starts_with("\xE3\x80\x80").nodes.empty());  // a wide space
}

TEST_P(TargetConstraintsTest, AllWaysToWriteAPieceOfAWordAreThere) {
    const TargetConstraints constraints(*tokenizer_);
    const PrefixGraph graph = constraints.starts_with("garten");
    // The tokenizer's own way is one of them.
    std::int32_t node = 0;
    for (const std::int32_t id : tokenizer_->encode("garten")) {
        const auto& edges = graph.nodes[static_cast<std::size_t>(node)];
        const bool there =
            std::any_of(edges.begin(), edges.end(), [&](const PrefixGraph::Edge& edge) { return edge.token == id; });
        ASSERT_TRUE(there) << tokenizer_->piece(id);
        node = graph.next(node, id);
    }
    EXPECT_TRUE(graph.complete(node));
}

TEST_P(TargetConstraintsTest, PhrasesAreTheirPieces) {
    const TargetConstraints constraints(*tokenizer_);
    EXPECT_EQ(constraints.phrase("alt haus"), tokenizer_->encode("alt haus"));
    EXPECT_NE(error_of(ExitCode::data, [&] { constraints.phrase(" "); }).find("is empty"), std::string::npos);
    EXPECT_NE(error_of(ExitCode::data, [&] { constraints.phrase("\xE2\x98\x83"); }).find("cannot be written"),
              std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, TargetConstraintsTest,
                         testing::Values(VocabularyType::unigram, VocabularyType::bpe, VocabularyType::word,
                                         VocabularyType::character));

}  // namespace
}  // namespace softalign
