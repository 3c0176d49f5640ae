#include "translate/batch_translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/captured_log.h"
#include "base/error.h"
#include "text/fixtures.h"
#include "toy_translator.h"
#include "translate/shortlist.h"

namespace softalign {
namespace {

TEST(BatchTranslator, BatchesOrderAndWorkersChangeNothing) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    std::vector<std::string> sentences = random_sentences(30, 8);
    sentences[7] = "";
    sentences[8] = "  \t ";
    const auto expected = toy.translate(sentences);
    ASSERT_EQ(expected.size(), sentences.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        expect_same(toy.translate({sentences[i]}).front(), expected[i]);
        different += expected[i].front().text != expected[0].front().text ? 1 : 0;
    }
    EXPECT_GT(different, sentences.size() / 2);  // else the comparison would say little

    const std::vector<std::uint32_t> order = permutation(30, 4);
    std::vector<std::string> shuffled;
    for (const std::uint32_t index : order) {
        shuffled.push_back(sentences[index]);
    }
    toy.options.workers = 3;
    toy.options.search.batch_size = 7;
    const auto actual = toy.translate(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) {
        expect_same(actual[i], expected[order[i]]);
    }
}

TEST(BatchTranslator, WhatATranslationHolds) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    const auto result = toy.translate({"5 6 7 99"}).front();
    ASSERT_EQ(result.size(), 2U);
    EXPECT_GE(result[0].score, result[1].score);
    for (const Translation& translation : result) {
        EXPECT_EQ(translation.source_ids, (std::vector<std::int32_t>{5, 6, 7, 1, 3}));
        EXPECT_EQ(translation.text, toy.target.decode(translation.ids));
        EXPECT_LT(translation.log_prob, 0.0);
        EXPECT_DOUBLE_EQ(translation.score, translation.log_prob / (translation.ids.size() + 1.0));
        EXPECT_LE(translation.ids.size(), 9U);  // 1.5 * 4 + 3
        ASSERT_EQ(translation.attention.size(), translation.ids.size() + 1);
        for (const std::vector<float>& weights : translation.attention) {
            ASSERT_EQ(weights.size(), 5U);
            EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-5);
        }
    }
}

TEST(BatchTranslator, AttentionIsLeftOutUnlessAskedForOrThere) {
    EXPECT_TRUE(ToyTranslator().translate({"5 6"}).front().front().attention.empty());
    ToyTranslator without(AttentionType::none);
    without.options.keep_attention = true;
    EXPECT_TRUE(without.translate({"5 6"}).front().front().attention.empty());
    EXPECT_TRUE(without.translate({""}).front().front().attention.empty());
    EXPECT_TRUE(ToyTranslator().translate({""}).front().front().attention.empty());
}

TEST(BatchTranslator, ASentenceWithoutPiecesGivesOneEmptyTranslation) {
    ToyTranslator toy;
    toy.options.keep_attention = true;
    const auto results = toy.translate({"", " \t", "*", "5"});
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(results[i].size(), 1U);
        EXPECT_EQ(results[i].front().text, "");
        EXPECT_EQ(results[i].front().log_prob, 0.0);
        EXPECT_EQ(results[i].front().source_ids, std::vector<std::int32_t>{3});
        EXPECT_TRUE(results[i].front().ids.empty());
        EXPECT_EQ(results[i].front().token_log_probs, std::vector<float>{0.0F});
        EXPECT_EQ(results[i].front().attention, std::vector<std::vector<float>>{{1.0F}});
    }
    EXPECT_EQ(results[3].size(), 2U);
    EXPECT_TRUE(ToyTranslator().translate({}).empty());
}

TEST(BatchTranslator, TheMaximumLengthFollowsTheOptions) {
    ToyTranslator toy;
    toy.options.search.max_length_ratio = 0.3;
    toy.options.search.max_length_offset = 0;
    EXPECT_EQ(toy.translate({"5 6 7"}).front().front().ids.size(), 0U);
    toy.options.search.max_length_ratio = 0.5;
    toy.options.search.max_length_offset = 1;
    toy.options.search.beam = 8;
    toy.options.search.n_best = 8;
    std::size_t longest = 0;
    const auto results = toy.translate({"5 6 7 8 9"});
    for (const Translation& translation : results.front()) {
        longest = std::max(longest, translation.ids.size());
    }
    EXPECT_EQ(longest, 3U);  // 0.5 * 5 + 1, rounded down
}

TEST(BatchTranslator, LongSentencesAreCutAndWarnedOfOnce) {
    const CapturedLog log;
    ToyTranslator toy;
    toy.options.search.max_source_length = 3;
    const auto results = toy.translate({"5 6 7 8 9", "5 6 7", "9 9 9 9"});
    const auto whole = toy.translate({"5 6 7"});
    expect_same(results[0], whole[0]);
    expect_same(results[1], whole[0]);
    const std::string text = log.text();
    EXPECT_NE(text.find("2 of 3 sentences had more than 3 pieces and were cut there"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(BatchTranslator, LineEndsNeverReachTheText) {
    ToyTranslator toy;
    const auto before = toy.translate({"5 6 7 8"}).front().front();
    ASSERT_FALSE(before.ids.empty());
    toy.target.set_line_feed(before.ids.front());
    const auto after = toy.translate({"5 6 7 8"}).front().front();
    EXPECT_EQ(after.ids, before.ids);
    EXPECT_EQ(after.text.find('\n'), std::string::npos);
}

TEST(BatchTranslator, AFaultInAWorkerReachesTheCaller) {
    ToyTranslator toy;
    toy.target.set_undecodable(toy.translate({"5 6 7 8"}).front().front().ids.front());
    toy.options.workers = 3;
    std::vector<std::string> sentences = random_sentences(20, 1);
    sentences[11] = "5 6 7 8";
    EXPECT_THROW(toy.translate(sentences), std::runtime_error);
    EXPECT_THROW(toy.translate({"5", "poison"}), std::runtime_error);
}

TEST(BatchTranslator, DamagedWeightsAreAnError) {
    ToyTranslator toy;
    {
        const at::NoGradGuard no_gradients;
        toy.model->parameters().back().fill_(std::numeric_limits<float>::quiet_NaN());
    }
    toy.options.workers = 2;
    try {
        toy.translate(random_sentences(9, 2));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::numerical);
    }
}

TEST(BatchTranslator, ForbiddenUnknownPiecesAreNeverWritten) {
    ToyTranslator toy;
    toy.model->named_parameters()["output_bias"].data()[1] += 8.0;  // the model would write little else
    const std::vector<std::string> sentences = random_sentences(6, 3);
    const auto count_unknown = [&] {
        std::ptrdiff_t unknown = 0;
        for (const auto& translations : toy.translate(sentences)) {
            EXPECT_EQ(translations.size(), 2U);
            for (const Translation& translation : translations) {
                unknown += std::count(translation.ids.begin(), translation.ids.end(), 1);
            }
        }
        return unknown;
    };
    EXPECT_GT(count_unknown(), 0);
    toy.options.search.forbid_unk = true;
    EXPECT_EQ(count_unknown(), 0);
}

TEST(BatchTranslator, UnknownPiecesBecomeTheSourceWordsAttendedTo) {
    ToyTranslator toy;
    toy.model->named_parameters()["output_bias"].data()[1] += 8.0;
    toy.options.keep_attention = true;
    const std::vector<std::string> sentences = {"5 foo 7", "bar  11 12 Baz"};
    const std::vector<std::vector<std::string>> words = {{"5", "foo", "7"}, {"bar", "11", "12", "Baz"}};
    const auto plain = toy.translate(sentences);
    toy.options.replace_unk = std::make_shared<const Dictionary>();
    const auto replaced = toy.translate(sentences);
    toy.options.keep_attention = false;
    const auto without_attention = toy.translate(sentences);
    std::size_t copied = 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        for (std::size_t n = 0; n < plain[i].size(); ++n) {
            std::string expected;
            for (std::size_t t = 0; t < plain[i][n].ids.size(); ++t) {
                const std::vector<float>& weights = plain[i][n].attention[t];
                const auto best = std::max_element(weights.begin(), weights.end()) - weights.begin();
                std::string word = std::to_string(plain[i][n].ids[t]);
                if (plain[i][n].ids[t] == 1) {
                    word = static_cast<std::size_t>(best) < words[i].size() ? words[i][best] : "";
                    copied += word.empty() ? 0 : 1;
                }
                expected += (expected.empty() || word.empty() ? "" : " ") + word;
            }
            EXPECT_EQ(replaced[i][n].text, expected);
            EXPECT_EQ(replaced[i][n].ids, plain[i][n].ids);
            EXPECT_EQ(replaced[i][n].log_prob, plain[i][n].log_prob);
            EXPECT_EQ(without_attention[i][n].text, expected);
            EXPECT_TRUE(without_attention[i][n].attention.empty());
        }
    }
    EXPECT_GT(copied, 0U);
}

TEST(BatchTranslator, ReplacingUnknownPiecesNeedsAttention) {
    ToyTranslator toy(AttentionType::none);
    toy.options.replace_unk = std::make_shared<const Dictionary>();
    try {
        toy.translate({});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        EXPECT_NE(std::string(error.what()).find("only a model with attention"), std::string::npos) << error.what();
    }
}

// A model that would write padding and the begin of sentence everywhere.
ToyTranslator fond_of_silence() {
    ToyTranslator toy;
    const at::NoGradGuard no_gradients;
    at::Tensor bias = toy.model->named_parameters()["output_bias"];
    bias[0] = 6.0F;
    bias[2] = 6.0F;
    toy.options.search.beam = 8;
    toy.options.search.n_best = 8;
    return toy;
}

void expect_nothing_silent(const std::vector<std::vector<Translation>>& found, bool distinct) {
    for (const std::vector<Translation>& translations : found) {
        std::set<std::string> texts;
        for (const Translation& translation : translations) {
            EXPECT_EQ(std::count(translation.ids.begin(), translation.ids.end(), 0), 0);
            EXPECT_EQ(std::count(translation.ids.begin(), translation.ids.end(), 2), 0);
            texts.insert(translation.text);
        }
        EXPECT_TRUE(!distinct || texts.size() == translations.size());
    }
}

TEST(BatchTranslator, PaddingAndTheBeginOfSentenceAreNeverWritten) {
    const std::vector<std::string> sentences = random_sentences(10, 12);
    ToyTranslator toy = fond_of_silence();
    expect_nothing_silent(toy.translate(sentences), true);
    toy.options.search.groups = 4;
    toy.options.search.diversity = 0.5;
    expect_nothing_silent(toy.translate(sentences), true);
    toy.options.search.groups = 1;
    toy.options.search.sampling = true;
    expect_nothing_silent(toy.translate(sentences), false);
    toy.options.search.sampling = false;
    const EnsembleMember member{*toy.model, toy.source, toy.target, "toy"};
    BatchTranslator both(Ensemble({member, member}, {EnsembleSpace::log, {}, false}), toy.options);
    expect_nothing_silent(both.translate(sentences), true);
    toy.options.shortlist =
        std::make_shared<const Shortlist>(std::vector<std::vector<Shortlist::Translation>>(ToyTranslator::source_size),
                                          std::vector<std::int32_t>{0, 2, 3, 5, 6, 7, 8});
    expect_nothing_silent(toy.translate(sentences), true);
}

TEST(BatchTranslator, OptionsOutOfRangeAreErrors) {
    const auto message_of = [](const std::function<void(TranslateOptions&)>& change) -> std::string {
        ToyTranslator toy;
        change(toy.options);
        try {
            toy.translate({});
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::configuration);
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message_of([](auto& o) { o.search.beam = 0; }).find("beam must be an integer, 1 to 1024"),
              std::string::npos);
    EXPECT_NE(message_of([](auto& o) { o.search.n_best = 0; }).find("n_best must be"), std::string::npos);
    EXPECT_NE(message_of([](auto& o) {
                  o.search.n_best = 4;
              }).find("beam must be at least n_best; now n_best is 4 and beam is 3"),
              std::string::npos);
    EXPECT_NE(message_of([](auto& o) { o.search.length_alpha = -1; }).find("length_alpha must be"), std::string::npos);
    EXPECT_NE(message_of([](auto& o) { o.search.max_length_ratio = -1; }).find("ratio must be"), std::string::npos);
    EXPECT_NE(message_of([](auto& o) { o.search.max_length_offset = -1; }).find("offset must be"), std::string::npos);
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1} << 58, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_NE(message_of([size](auto& o) {
                      o.search.batch_size = size;
                  }).find("batch_size must be an integer, 1 to 1000000"),
                  std::string::npos);
    }
    EXPECT_NE(message_of([](auto& o) { o.search.max_source_length = 0; }).find("max_source_length must be"),
              std::string::npos);
    EXPECT_NE(message_of([](auto& o) { o.workers = 0; }).find("at least 1 worker"), std::string::npos);
}

// Some 26 pieces can be written, each once, and the second sentence asks for 35.
TEST(BatchTranslator, ASentenceWhoseRulesCannotBeMetIsAnErrorThatNamesThem) {
    ToyTranslator toy;
    toy.options.search.no_repeat_ngram = 1;
    toy.options.search.min_length_ratio = 1.0;
    std::vector<TranslationRequest> requests(4);
    requests[0].text = "5 6 7";
    requests[2].text = "7 8";
    requests[3].text = requests[1].text = "";
    for (int i = 0; i < 35; ++i) {
        requests[1].text += "9 ";
    }
    for (const bool sampling : {false, true}) {
        toy.options.search.sampling = sampling;
        BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
        EXPECT_EQ(error_of(ExitCode::data, [&] { translator.translate(requests); }),
                  "sentence 2: the search found no translation that keeps to all of its rules: at most 55 pieces, at "
                  "least 35 pieces (search.min_length, search.min_length_ratio), no sequence of 1 piece twice "
                  "(search.no_repeat_ngram); relax one of them");
        std::vector<std::vector<Translation>> before;
        EXPECT_THROW(translator.translate(requests, [&](auto part) { before = std::move(part); }), Error);
        ASSERT_EQ(before.size(), 1U);
        ASSERT_FALSE(before.front().empty());
        EXPECT_GE(before.front().front().ids.size(), 3U);
        EXPECT_TRUE(std::isfinite(before.front().front().score));
        // The number goes on over the calls.
        EXPECT_EQ(error_of(ExitCode::data,
                           [&] {
                               translator.translate({requests[0], requests[1]});
                           })
                      .find("sentence 10: "),
                  0U);
    }
}

TEST(BatchTranslator, OfAModelThatRulesEveryTranslationOutTheWeightsAreToBlame) {
    ToyTranslator toy;
    {
        const at::NoGradGuard no_gradients;
        toy.model->named_parameters()["output_bias"]
            .select(0, toy.target.special().eos)
            .fill_(-std::numeric_limits<float>::infinity());
    }
    EXPECT_EQ(error_of(ExitCode::numerical, [&] { toy.translate({"7 8"}); }),
              "sentence 1: the model gives every translation of at most 6 pieces the probability 0: its weights are "
              "damaged or its training diverged; try an earlier checkpoint");
}

TEST(BatchTranslator, WhereUnknownPiecesAreForbiddenACompletePrefixContinuesWithOthers) {
    for (const std::int64_t shortest : {0, 4}) {
        ToyTranslator toy;
        toy.options.search.forbid_unk = true;
        toy.options.search.min_length = shortest;
        BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
        const std::vector<TranslationRequest> requests = {{"8 7 6", "5 ", {}}};
        const std::vector<std::int32_t> ids = translator.translate(requests)[0].front().ids;
        EXPECT_EQ(toy.target.decode(ids).rfind("5", 0), 0U);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), toy.target.special().unk), 0);
    }
}

TEST(BatchTranslator, AnUnknownPieceIsNotBothForcedAndForbidden) {
    ToyTranslator toy;
    for (const bool forbidden : {false, true}) {
        toy.options.search.forbid_unk = forbidden;
        BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
        const std::vector<TranslationRequest> requests = {{"7", "", {}}, {"8", "5 foo ", {}}};
        if (forbidden) {
            EXPECT_EQ(error_of(ExitCode::data, [&] { translator.translate(requests); }),
                      "sentence 2: the prefix '5 foo ' needs the unknown piece, which search.forbid_unk keeps away; "
                      "shorten the prefix or allow unknown pieces");
        } else {
            EXPECT_EQ(translator.translate(requests)[1].front().ids[1], toy.target.special().unk);
        }
    }
}

}  // namespace
}  // namespace softalign
