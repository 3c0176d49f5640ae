#include "translate/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "number_tokenizer.h"
#include "toy_translator.h"
#include "translate/scorer.h"

namespace softalign {
namespace {

std::shared_ptr<Seq2Seq> make_model(std::uint64_t seed, std::int32_t source_size,
                                    const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = ToyTranslator().model->config();
    change(config);
    auto model = std::make_shared<Seq2Seq>(config, VocabularySizes{source_size, ToyTranslator::target_size});
    model->initialize(seed);
    return model;
}

const auto as_it_is = [](ModelConfig&) {};

// Models of different architectures; the last reads other source pieces.
struct Mixed {
    NumberTokenizer source{ToyTranslator::source_size};
    NumberTokenizer same_source{ToyTranslator::source_size};
    NumberTokenizer other_source{12};
    NumberTokenizer target{ToyTranslator::target_size};
    std::shared_ptr<Seq2Seq> without = make_model(7, ToyTranslator::source_size, [](ModelConfig& c) {
        c.attention.type = AttentionType::none;
        c.decoder.cell = CellType::lstm;
    });
    std::shared_ptr<Seq2Seq> additive = make_model(8, ToyTranslator::source_size, as_it_is);
    std::shared_ptr<Seq2Seq> luong = make_model(9, 12, [](ModelConfig& c) {
        c.attention.type = AttentionType::general;
        c.decoder.attend = AttendWhen::after;
    });

    std::vector<EnsembleMember> members() const {
        return {{*without, source, target, "without"},
                {*additive, same_source, target, "additive"},
                {*luong, other_source, target, "luong"}};
    }
};

TranslateOptions options_of_toys() {
    TranslateOptions options = ToyTranslator().options;
    options.keep_attention = true;
    return options;
}

TEST(Ensemble, AModelWithItselfTranslatesAsByItself) {
    const ToyTranslator toy;
    const std::vector<std::string> sentences = random_sentences(20, 31);
    BatchTranslator alone(*toy.model, toy.source, toy.target, options_of_toys());
    const auto expected = alone.translate(sentences);
    const EnsembleMember member{*toy.model, toy.source, toy.target, "toy"};
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        BatchTranslator translator(Ensemble({member, member}, {space, {0.3, 0.9}, false}), options_of_toys());
        const auto actual = translator.translate(sentences);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < actual.size(); ++i) {
            expect_same(actual[i], expected[i]);
        }
    }
}

// The average of what the models give by themselves, for given translations.
TEST(Ensemble, ScoresAreTheAverageOfTheModels) {
    const Mixed mixed;
    const std::vector<double> weights = {0.5, 0.3, 0.2};
    std::vector<SentencePair> pairs;
    for (const std::string& sentence : random_sentences(12, 33)) {
        pairs.push_back({sentence, sentence});
    }
    std::vector<std::vector<PairScore>> parts;
    for (const EnsembleMember& member : mixed.members()) {
        parts.push_back(Scorer(member.model, member.source, member.target, ScoreOptions{}).score(pairs));
    }
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        const auto scores =
            Scorer(Ensemble(mixed.members(), {space, {5.0, 3.0, 2.0}, false}), ScoreOptions{3, 2}).score(pairs);
        ASSERT_EQ(scores.size(), pairs.size());
        for (std::size_t i = 0; i < scores.size(); ++i) {
            double total = 0.0;
            for (std::size_t t = 0; t < scores[i].token_log_probs.size(); ++t) {
                double sum = 0.0;
                for (std::size_t m = 0; m < parts.size(); ++m) {
                    const double log_prob = parts[m][i].token_log_probs[t];
                    sum += weights[m] * (space == EnsembleSpace::log ? log_prob : std::exp(log_prob));
                }
                const double expected = space == EnsembleSpace::log ? sum : std::log(sum);
                EXPECT_NEAR(scores[i].token_log_probs[t], expected, 1e-4);
                total += expected;
            }
            EXPECT_NEAR(scores[i].log_prob, total, 1e-4);
            EXPECT_EQ(scores[i].ids, parts[0][i].ids);
        }
    }
}

TEST(Ensemble, TheSearchGivesWhatScoringSays) {
    const Mixed mixed;
    const std::vector<std::string> sentences = random_sentences(20, 35);
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        const Ensemble ensemble(mixed.members(), {space, {}, false});
        EXPECT_TRUE(ensemble.shares_source(1));
        EXPECT_FALSE(ensemble.shares_source(2));
        BatchTranslator translator(ensemble, options_of_toys());
        std::vector<SentencePair> pairs;
        std::vector<double> expected;
        const auto translations = translator.translate(sentences);
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            for (const Translation& translation : translations[i]) {
                if (mixed.target.encode(translation.text) == translation.ids) {  // no special pieces in it
                    pairs.push_back({sentences[i], translation.text});
                    expected.push_back(translation.log_prob);
                }
            }
        }
        ASSERT_GT(pairs.size(), 10U);
        const auto scores = Scorer(ensemble, ScoreOptions{}).score(pairs);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            EXPECT_NEAR(scores[i].log_prob, expected[i], 1e-4);
        }
    }
}

// Of the three models only the second has attention for the pieces of the first.
TEST(Ensemble, AttentionIsOfTheFirstModelsPieces) {
    const Mixed mixed;
    const std::vector<EnsembleMember> all = mixed.members();
    const Ensemble ensemble(all, {});
    EXPECT_TRUE(ensemble.has_attention());
    BatchTranslator translator(ensemble, options_of_toys());
    const std::vector<std::string> sentences = random_sentences(6, 37);
    const auto translations = translator.translate(sentences);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        std::vector<std::int32_t> source = mixed.source.encode(sentences[i]);
        source.push_back(3);
        for (const Translation& translation : translations[i]) {
            EXPECT_EQ(translation.source_ids, source);
            ASSERT_EQ(translation.attention.size(), translation.ids.size() + 1);
            EXPECT_EQ(translation.attention.front().size(), source.size());
        }
    }
    const Ensemble without({all[0], all[2]}, {});
    EXPECT_FALSE(without.has_attention());
    BatchTranslator blind(without, options_of_toys());
    EXPECT_TRUE(blind.translate(std::vector<std::string>{"5 6 7"}).front().front().attention.empty());
    EXPECT_FALSE(Ensemble(all, {EnsembleSpace::log, {1.0, 0.0, 1.0}, false}).has_attention());
}

// The numbers again, but "+" is cut off the end of a word where `strip` is set.
class OtherRules : public NumberTokenizer {
public:
    explicit OtherRules(bool strip) : NumberTokenizer(ToyTranslator::source_size), strip_(strip) {}

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids = NumberTokenizer::encode(text);
        if (strip_ && text.find('+') != std::string_view::npos) {
            ids.pop_back();
        }
        return ids;
    }

    SegmentationRules segmentation_rules() const override { return {"", "", strip_ ? "strip" : ""}; }

private:
    bool strip_;
};

TEST(Ensemble, AttentionOfASentenceDoesNotDependOnItsNeighbours) {
    const Mixed mixed;
    const OtherRules plain(false);
    const OtherRules strip(true);
    const std::string sentence = "5 6 7";
    const auto attention_of = [&](const Ensemble& ensemble, const std::vector<std::string>& neighbours) {
        BatchTranslator translator(ensemble, options_of_toys());
        std::vector<std::string> sentences = neighbours;
        sentences.push_back(sentence);
        return translator.translate(sentences).back().front().attention;
    };
    const std::vector<EnsembleMember> members = {{*mixed.without, plain, mixed.target, "without"},
                                                 {*mixed.additive, strip, mixed.target, "strip"}};
    const Ensemble unlike(members, {});
    EXPECT_FALSE(unlike.has_attention());
    const std::string reason =
        "strip does not read the source with the vocabulary of without (the same pieces, but another normalisation of "
        "the text)";
    EXPECT_EQ(unlike.lack_of_attention(), "without is a model without attention; " + reason);
    EXPECT_EQ(unlike.attention_left_out(), reason);
    EXPECT_TRUE(attention_of(unlike, {}).empty());
    EXPECT_TRUE(attention_of(unlike, {"8 9 +"}).empty());
    TranslateOptions options = options_of_toys();
    options.replace_unk = std::make_shared<const Dictionary>();
    EXPECT_THROW(BatchTranslator(unlike, options), Error);
    options.replace_unk = nullptr;
    options.search.coverage_penalty = 0.1;
    EXPECT_THROW(BatchTranslator(unlike, options), Error);

    // With attention for the first model's pieces there is always some, of the models that share them.
    const std::vector<EnsembleMember> more = {{*mixed.additive, strip, mixed.target, "strip"},
                                              {*mixed.without, plain, mixed.target, "without"},
                                              {*mixed.additive, plain, mixed.target, "plain"}};
    const Ensemble some(more, {});
    EXPECT_EQ(some.lack_of_attention(), "");
    EXPECT_TRUE(some.shares_source(0));
    EXPECT_FALSE(some.shares_source(2));
    const auto alone = attention_of(some, {});
    ASSERT_EQ(alone.front().size(), 4U);
    const auto beside = attention_of(some, {"8 9 +", "9 + 8", "4"});
    ASSERT_EQ(beside.size(), alone.size());
    for (std::size_t t = 0; t < alone.size(); ++t) {
        for (std::size_t s = 0; s < alone[t].size(); ++s) {
            EXPECT_NEAR(beside[t][s], alone[t][s], 1e-5);
        }
    }
}

// Of each token, what each model by itself says of it at its place.
TEST(Ensemble, KeepsWhatEachModelSays) {
    const Mixed mixed;
    TranslateOptions options = options_of_toys();
    options.keep_model_log_probs = true;
    BatchTranslator translator(Ensemble(mixed.members(), {EnsembleSpace::log, {5.0, 3.0, 2.0}, false}), options);
    const auto translations = translator.translate(std::vector<std::string>{"5 6 7", ""});
    for (const Translation& translation : translations[0]) {
        ASSERT_EQ(translation.model_token_log_probs.size(), 3U);
        for (std::size_t t = 0; t <= translation.ids.size(); ++t) {
            const auto& parts = translation.model_token_log_probs;
            EXPECT_NEAR(translation.token_log_probs[t], 0.5 * parts[0][t] + 0.3 * parts[1][t] + 0.2 * parts[2][t],
                        1e-5);
        }
    }
    EXPECT_EQ(translations[1].front().model_token_log_probs,
              (std::vector<std::vector<float>>(3, std::vector<float>{0.0F})));
    options.keep_model_log_probs = false;
    BatchTranslator plain(Ensemble(mixed.members(), {}), options);
    EXPECT_TRUE(plain.translate(std::vector<std::string>{"5 6 7"}).front().front().model_token_log_probs.empty());
}

TEST(Ensemble, SentencesOverTheLimitAreCountedOnce) {
    const Mixed mixed;
    TranslateOptions options = options_of_toys();
    options.search.max_source_length = 3;
    BatchTranslator translator(Ensemble(mixed.members(), {}), options);
    const auto cut = translator.translate(std::vector<std::string>{"5 6 7 8 9", "5 6 7"});
    EXPECT_EQ(translator.cut(), 1);
    EXPECT_EQ(translator.sentences(), 2);
    EXPECT_EQ(cut[0].front().text, cut[1].front().text);
}

TEST(Ensemble, ModelsThatDoNotGoTogetherAreErrors) {
    const Mixed mixed;
    const auto message_of = [&](const std::vector<EnsembleMember>& members, ExitCode code,
                                const std::vector<double>& weights = {}) -> std::string {
        try {
            Ensemble(members, {EnsembleSpace::probability, weights, false});
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        }
        return "no error";
    };
    std::vector<EnsembleMember> members = mixed.members();
    const NumberTokenizer larger(31);
    const auto large = std::make_shared<Seq2Seq>(mixed.additive->config(), VocabularySizes{40, 31});
    members.push_back({*large, mixed.source, larger, "large"});
    EXPECT_EQ(
        message_of(members, ExitCode::model),
        "without and large cannot be one ensemble: their target vocabularies differ (30 and 31 pieces); models of "
        "an ensemble must be trained with the same one");
    const auto reversed = make_model(1, 40, [](ModelConfig& c) { c.decoder.reverse_target = true; });
    EXPECT_NE(message_of({mixed.members()[0], {*reversed, mixed.source, mixed.target, "r2l"}}, ExitCode::model)
                  .find("without writes from left to right, r2l from right to left (model.decoder.reverse_target)"),
              std::string::npos);
    EXPECT_NE(message_of({}, ExitCode::configuration).find("at least one model"), std::string::npos);
    EXPECT_NE(message_of(mixed.members(), ExitCode::configuration, {1.0, 2.0}).find("are 2 for 3 models"),
              std::string::npos);
}

// The same weights in a model that writes the other way give the same tokens, which then stand in the opposite order.
TEST(RightToLeft, TranslationsComeInTheOrderOfTheText) {
    const NumberTokenizer source(ToyTranslator::source_size);
    const NumberTokenizer target(ToyTranslator::target_size);
    const auto forward = make_model(3, ToyTranslator::source_size, as_it_is);
    const auto backward =
        make_model(3, ToyTranslator::source_size, [](ModelConfig& c) { c.decoder.reverse_target = true; });
    const std::vector<std::string> sentences = random_sentences(10, 41);
    BatchTranslator plain(*forward, source, target, options_of_toys());
    BatchTranslator reversing(*backward, source, target, options_of_toys());
    const auto expected = plain.translate(sentences);
    const auto actual = reversing.translate(sentences);
    std::vector<SentencePair> pairs;
    std::vector<double> log_probs;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        for (std::size_t n = 0; n < expected[i].size(); ++n) {
            Translation turned = expected[i][n];
            std::reverse(turned.ids.begin(), turned.ids.end());
            std::reverse(turned.attention.begin(), turned.attention.end() - 1);
            std::reverse(turned.token_log_probs.begin(), turned.token_log_probs.end() - 1);
            turned.text = target.decode(turned.ids);
            expect_same({actual[i][n]}, {turned});
            ASSERT_EQ(actual[i][n].token_log_probs.size(), turned.token_log_probs.size());
            for (std::size_t t = 0; t < turned.token_log_probs.size(); ++t) {
                EXPECT_NEAR(actual[i][n].token_log_probs[t], turned.token_log_probs[t], 1e-4);
            }
            if (target.encode(actual[i][n].text) == actual[i][n].ids) {
                pairs.push_back({sentences[i], actual[i][n].text});
                log_probs.push_back(actual[i][n].log_prob);
            }
        }
    }
    ASSERT_GT(pairs.size(), 5U);
    const auto scores = Scorer(*backward, source, target, ScoreOptions{}).score(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        EXPECT_NEAR(scores[i].log_prob, log_probs[i], 1e-4);
    }
}

}  // namespace
}  // namespace softalign
