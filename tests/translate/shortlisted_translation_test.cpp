// Translations with a shortlist.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "toy_translator.h"
#include "translate/shortlist.h"

namespace softalign {
namespace {

// For each source number s the target numbers that differ from it by little, all of them between 4 and 29.
std::shared_ptr<const Shortlist> neighbours() {
    std::vector<std::vector<Shortlist::Translation>> rows(ToyTranslator::source_size);
    for (std::int32_t piece = 4; piece < ToyTranslator::source_size; ++piece) {
        for (std::int32_t near = piece - 1; near <= piece + 1; ++near) {
            rows[static_cast<std::size_t>(piece)].push_back({4 + near % 26, 0.1});
        }
    }
    return std::make_shared<const Shortlist>(rows, std::vector<std::int32_t>{3, 1, 10});
}

// What the shortlist has for a sentence.
std::set<std::int32_t> allowed(const Shortlist& shortlist, const ToyTranslator& toy, const std::string& sentence) {
    std::vector<std::int32_t> tokens;
    shortlist.add_candidates(toy.source.encode(sentence), tokens);
    return {tokens.begin(), tokens.end()};
}

// The toy whose model gives nothing but these tokens any probability.
ToyTranslator restricted_to(const std::set<std::int32_t>& tokens) {
    ToyTranslator toy;
    const at::NoGradGuard no_gradients;
    at::Tensor bias = toy.model->named_parameters()["output_bias"];
    for (std::int32_t token = 0; token < ToyTranslator::target_size; ++token) {
        if (tokens.count(token) == 0) {
            bias[token] = -std::numeric_limits<float>::infinity();
        }
    }
    return toy;
}

std::vector<std::vector<Translation>> translate_requests(const ToyTranslator& toy,
                                                         const std::vector<TranslationRequest>& requests) {
    return BatchTranslator(*toy.model, toy.source, toy.target, toy.options).translate(requests);
}

TEST(ShortlistedTranslation, IsThatOfAModelThatKnowsNoOtherPieces) {
    ToyTranslator toy;
    const std::vector<std::string> sentences = random_sentences(30, 8);
    const auto plain = toy.translate(sentences);
    toy.options.shortlist = neighbours();
    const auto actual = toy.translate(sentences);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const ToyTranslator restricted = restricted_to(allowed(*toy.options.shortlist, toy, sentences[i]));
        expect_same(actual[i], restricted.translate({sentences[i]}).front());
        changed += actual[i].front().ids != plain[i].front().ids ? 1 : 0;
    }
    EXPECT_GT(changed, 5U);  // else the comparison would say little
}

TEST(ShortlistedTranslation, BatchesOrderAndWorkersChangeNothing) {
    ToyTranslator toy;
    toy.options.shortlist = neighbours();
    std::vector<std::string> sentences = random_sentences(30, 8);
    sentences[4] = "";
    const auto expected = toy.translate(sentences);
    std::reverse(sentences.begin(), sentences.end());
    toy.options.search.batch_size = 7;
    toy.options.workers = 3;
    const auto actual = toy.translate(sentences);
    toy.options.search.batch_size = 1;
    const auto alone = toy.translate(sentences);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        expect_same(actual[i], expected[sentences.size() - 1 - i]);
        expect_same(alone[i], expected[sentences.size() - 1 - i]);
    }
}

TEST(ShortlistedTranslation, OfAllPiecesIsThePlainOne) {
    ToyTranslator toy;
    const std::vector<std::string> sentences = random_sentences(20, 9);
    const auto expected = toy.translate(sentences);
    std::vector<std::int32_t> all(ToyTranslator::target_size);
    std::iota(all.begin(), all.end(), 0);
    toy.options.shortlist = std::make_shared<const Shortlist>(
        std::vector<std::vector<Shortlist::Translation>>(ToyTranslator::source_size), all);
    const auto actual = toy.translate(sentences);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        expect_same(actual[i], expected[i]);
    }
}

TEST(ShortlistedTranslation, OfTheEndAloneIsEmpty) {
    ToyTranslator toy;
    toy.options.shortlist = std::make_shared<const Shortlist>(
        std::vector<std::vector<Shortlist::Translation>>(ToyTranslator::source_size), std::vector<std::int32_t>{3});
    for (const auto& found : toy.translate({"5 6 7", "8"})) {
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found.front().text, "");
        EXPECT_NEAR(found.front().log_prob, 0.0, 1e-6);
    }
}

// Pieces that no source piece has, but that the request asks for; the rest stays within the shortlist.
TEST(ShortlistedTranslation, HasWhatPrefixesAndPhrasesAskFor) {
    ToyTranslator toy;
    toy.options.search.beam = 6;
    toy.options.shortlist = neighbours();
    const std::set<std::int32_t> usual = allowed(*toy.options.shortlist, toy, "5 6 7");
    for (const std::int32_t asked : {20, 25, 27}) {
        ASSERT_EQ(usual.count(asked), 0U);
    }
    std::vector<TranslationRequest> requests(4);
    requests[0] = {"5 6 7", "25 20 ", {}};
    requests[1] = {"5 6 7", "", {"27 25", "20"}};
    requests[2] = {"5 6 7", "", {}};
    requests[3] = {"5 6 7", "20 ", {"27"}};
    const auto found = translate_requests(toy, requests);
    for (const Translation& translation : found[0]) {
        EXPECT_EQ(translation.text.substr(0, 5), "25 20");
        for (const std::int32_t id : translation.ids) {
            EXPECT_TRUE(usual.count(id) > 0 || id == 25 || id == 20) << id;
        }
    }
    for (const Translation& translation : found[1]) {
        EXPECT_NE((" " + translation.text + " ").find(" 27 25 "), std::string::npos) << translation.text;
        EXPECT_NE((" " + translation.text + " ").find(" 20 "), std::string::npos) << translation.text;
        for (const std::int32_t id : translation.ids) {
            EXPECT_TRUE(usual.count(id) > 0 || id == 27 || id == 25 || id == 20) << id;
        }
    }
    // One of the batch asks for nothing, and gets nothing of what the others asked for.
    expect_same(found[2], toy.translate({"5 6 7"}).front());
    for (const Translation& translation : found[3]) {
        EXPECT_EQ(translation.text.substr(0, 2), "20");
        EXPECT_NE((" " + translation.text + " ").find(" 27 "), std::string::npos) << translation.text;
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
        expect_same(translate_requests(toy, {requests[i]}).front(), found[i]);
    }
}

TEST(ShortlistedTranslation, DrawsFromTheShortlist) {
    ToyTranslator toy;
    toy.options.search.beam = toy.options.search.n_best = 50;
    toy.options.search.sampling = true;
    toy.options.search.temperature = 3.0;
    toy.options.shortlist = neighbours();
    toy.options.search.forbid_unk = true;
    const std::set<std::int32_t> usual = allowed(*toy.options.shortlist, toy, "5 6 7");
    std::set<std::int32_t> drawn;
    const auto found = toy.translate({"5 6 7"}).front();
    for (const Translation& translation : found) {
        drawn.insert(translation.ids.begin(), translation.ids.end());
        EXPECT_TRUE(std::isfinite(translation.log_prob));
    }
    EXPECT_EQ(drawn.count(1), 0U);
    EXPECT_GT(drawn.size(), 3U);
    EXPECT_TRUE(std::includes(usual.begin(), usual.end(), drawn.begin(), drawn.end()));
}

// Each model is asked for the same pieces, those of the first one's source pieces.
TEST(ShortlistedTranslation, OfAnEnsembleIsThatOfModelsThatKnowNoOtherPieces) {
    const ToyTranslator toy;
    TranslateOptions options = toy.options;
    options.keep_model_log_probs = true;
    const auto other = std::make_shared<Seq2Seq>(toy.model->config(), toy.model->sizes());
    other->initialize(8);
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        const EnsembleOptions how{space, {0.3, 0.7}, false};
        const Ensemble ensemble(
            {{*toy.model, toy.source, toy.target, "one"}, {*other, toy.source, toy.target, "other"}}, how);
        options.shortlist = neighbours();
        const std::vector<std::string> sentences = random_sentences(8, 12);
        const auto actual = BatchTranslator(ensemble, options).translate(sentences);
        options.shortlist = nullptr;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            const std::set<std::int32_t> tokens = allowed(*neighbours(), toy, sentences[i]);
            const ToyTranslator first = restricted_to(tokens);
            ToyTranslator second = restricted_to(tokens);
            {
                const at::NoGradGuard no_gradients;
                const at::Tensor bias = second.model->named_parameters()["output_bias"].clone();
                second.model->initialize(8);
                second.model->named_parameters()["output_bias"].copy_(bias);
            }
            const Ensemble restricted(
                {{*first.model, toy.source, toy.target, "one"}, {*second.model, toy.source, toy.target, "other"}}, how);
            const auto expected = BatchTranslator(restricted, options).translate({sentences[i]}).front();
            expect_same(actual[i], expected);
            for (const Translation& translation : actual[i]) {
                for (const std::vector<float>& model : translation.model_token_log_probs) {
                    EXPECT_TRUE(std::all_of(model.begin(), model.end(), [](float p) { return std::isfinite(p); }));
                }
            }
        }
    }
}

}  // namespace
}  // namespace softalign
