#include "translate/target_constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"

namespace softalign {
namespace {

class TargetConstraintsTest : public testing::TestWithParam<VocabularyType> {
protected:
    TargetConstraintsTest() {
        VocabularyConfig config;
        config.type = GetParam();
        const std::int64_t size = config.type == VocabularyType::character ? 30 : 110;
        tokenizer_ = std::make_unique<SentencePieceTokenizer>(train_sample(folder_, config, size));
    }

    // Outputs that walk through the graph, at each node by an edge at random.
    std::set<std::string> texts(const PrefixGraph& graph) const {
        Random random(1);
        std::set<std::string> result;
        for (int walk = 0; walk < 200; ++walk) {
            std::vector<std::int32_t> ids;
            for (std::int32_t node = 0; !graph.complete(node);) {
                const auto& edges = graph.nodes[static_cast<std::size_t>(node)];
                const PrefixGraph::Edge& edge = edges[random.below(edges.size())];
                ids.push_back(edge.token);
                node = edge.to;
            }
            result.insert(tokenizer_->decode(ids));
        }
        return result;
    }

    TemporaryFolder folder_;
    std::unique_ptr<SentencePieceTokenizer> tokenizer_;
};

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
    ASSERT_GE(graph.nodes.size(), 2U);
    for (const PrefixGraph::Edge& edge : graph.nodes[graph.nodes.size() - 2]) {  // the word after the space
        EXPECT_EQ(edge.token % 2, 1);
    }
}

TEST_P(TargetConstraintsTest, EveryWalkWritesTheStart) {
    const TargetConstraints constraints(*tokenizer_);
    for (const std::string start : {"haus", "baum klei", "gr\xC3\xBCnlich  wa", "kinder h", "alt"}) {
        std::string expected = start;
        const std::size_t gap = expected.find("  ");
        expected = gap == std::string::npos ? expected : expected.erase(gap, 1);
        const auto found = texts(constraints.starts_with(start));
        EXPECT_FALSE(found.empty());
        for (const std::string& text : found) {
            EXPECT_EQ(text.substr(0, expected.size()), expected);
        }
    }
}

TEST_P(TargetConstraintsTest, ACutWordMayGoOn) {
    if (GetParam() == VocabularyType::character) {
        return;  // its pieces never write more than was asked
    }
    const TargetConstraints constraints(*tokenizer_);
    bool longer = false;
    for (const std::string& text : texts(constraints.starts_with("baum kl"))) {
        longer = longer || text.size() > std::string("baum kl").size();
    }
    EXPECT_TRUE(longer);
}

TEST_P(TargetConstraintsTest, WhiteSpaceEndsTheLastWord) {
    const TargetConstraints constraints(*tokenizer_);
    const PrefixGraph graph = constraints.starts_with("baum haus ");
    const std::vector<std::int32_t> ids = tokenizer_->encode("baum haus");
    ASSERT_EQ(graph.nodes.size(), ids.size() + 2);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ASSERT_EQ(graph.nodes[i].size(), 1U);
        EXPECT_EQ(graph.nodes[i].front().token, ids[i]);
    }
    EXPECT_FALSE(graph.nodes[ids.size()].empty());
    for (const PrefixGraph::Edge& edge : graph.nodes[ids.size()]) {
        EXPECT_EQ(tokenizer_->piece(edge.token).rfind("\xE2\x96\x81", 0), 0U);
    }
    EXPECT_TRUE(graph.complete(static_cast<std::int32_t>(ids.size()) + 1));
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
