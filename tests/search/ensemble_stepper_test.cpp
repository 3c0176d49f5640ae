#include "search/ensemble_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/search.h"
#include "toy_model.h"

namespace softalign {
namespace {

constexpr std::int64_t bos = 2;
constexpr std::int64_t eos = 3;
constexpr std::int64_t max_length = 3;
const std::vector<std::uint64_t> keys = {5, 17};

using Members = std::vector<EnsembleStepper::Member>;

Members toy_members(const std::vector<ToyLanguage>& languages) {
    Members members;
    for (const ToyLanguage& language : languages) {
        members.push_back({std::make_unique<ToyModel>(language, keys, bos)});
    }
    return members;
}

// So wide that nothing is lost.
std::vector<std::vector<Hypothesis>> search_all(StepModel& model) {
    SearchOptions options;
    options.beam = 400;
    options.n_best = 20;
    options.bos = bos;
    options.eos = eos;
    options.keep_attention = true;
    SearchTask task;
    task.max_length = max_length;
    return search(model, std::vector<SearchTask>(keys.size(), task), options);
}

// log p of each next token after a prefix, by the definition, in double precision.
std::vector<double> mixture(const std::vector<ToyLanguage>& languages, const std::vector<double>& weights,
                            EnsembleSpace space, std::uint64_t key, const std::vector<std::int32_t>& prefix) {
    std::vector<double> sums(static_cast<std::size_t>(languages.front().vocabulary), 0.0);
    for (std::size_t i = 0; i < languages.size(); ++i) {
        const std::vector<float> log_probs = languages[i].log_probs(key, prefix);
        for (std::size_t v = 0; v < sums.size(); ++v) {
            const double value = log_probs[v];
            sums[v] += weights[i] * (space == EnsembleSpace::log ? value : std::exp(value));
        }
    }
    if (space == EnsembleSpace::probability) {
        for (double& sum : sums) {
            sum = std::log(sum);
        }
    }
    return sums;
}

struct Scored {
    std::vector<std::int32_t> ids;
    double log_prob = 0.0;
};

// Every output of at most max_length tokens.
void enumerate(const std::function<std::vector<double>(const std::vector<std::int32_t>&)>& next, const Scored& prefix,
               std::vector<Scored>& all) {
    const std::vector<double> log_probs = next(prefix.ids);
    for (std::size_t token = 0; token < log_probs.size(); ++token) {
        Scored longer{prefix.ids, prefix.log_prob + log_probs[token]};
        if (static_cast<std::int64_t>(token) == eos) {
            all.push_back(longer);
        } else if (static_cast<std::int64_t>(prefix.ids.size()) < max_length) {
            longer.ids.push_back(static_cast<std::int32_t>(token));
            enumerate(next, longer, all);
        }
    }
}

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_EQ(actual[i].ids, expected[i].ids);
        EXPECT_NEAR(actual[i].log_prob, expected[i].log_prob, 1e-4);
        EXPECT_NEAR(actual[i].score, expected[i].score, 1e-4);
        ASSERT_EQ(actual[i].attention.size(), expected[i].attention.size());
        for (std::size_t t = 0; t < actual[i].attention.size(); ++t) {
            for (std::size_t s = 0; s < actual[i].attention[t].size(); ++s) {
                EXPECT_NEAR(actual[i].attention[t][s], expected[i].attention[t][s], 1e-5);
            }
        }
    }
}

TEST(EnsembleStepper, AModelWithItselfIsTheModel) {
    const ToyLanguage language;
    ToyModel alone(language, keys, bos);
    const auto expected = search_all(alone);
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        for (const std::vector<double>& weights : {std::vector<double>{}, {0.2, 1.4, 0.7}}) {
            EnsembleStepper ensemble(toy_members({language, language, language}), {space, weights, false});
            const auto actual = search_all(ensemble);
            for (std::size_t b = 0; b < keys.size(); ++b) {
                expect_same(actual[b], expected[b]);
            }
        }
    }
}

TEST(EnsembleStepper, SearchFindsTheBestOfTheMixture) {
    const std::vector<ToyLanguage> languages = {{5, 2.0, 3}, {5, 4.0, 3}};
    const std::vector<double> weights = {0.3, 0.7};
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        EnsembleStepper ensemble(toy_members(languages), {space, {3.0, 7.0}, false});
        const auto found = search_all(ensemble);
        for (std::size_t b = 0; b < keys.size(); ++b) {
            std::vector<Scored> all;
            enumerate([&](const auto& prefix) { return mixture(languages, weights, space, keys[b], prefix); }, {}, all);
            const auto score = [](const Scored& one) {
                return one.log_prob / (static_cast<double>(one.ids.size()) + 1.0);
            };
            std::sort(all.begin(), all.end(), [&](const Scored& x, const Scored& y) { return score(x) > score(y); });
            ASSERT_EQ(found[b].size(), 20U);
            for (std::size_t i = 0; i < found[b].size(); ++i) {
                EXPECT_EQ(found[b][i].ids, all[i].ids) << i;
                EXPECT_NEAR(found[b][i].log_prob, all[i].log_prob, 1e-4);
            }
        }
    }
}

TEST(EnsembleStepper, ProbabilitiesSumToOneAndLogarithmsDoNot) {
    const std::vector<ToyLanguage> languages = {{5, 2.0, 3}, {5, 6.0, 3}};
    const auto total = [&](EnsembleSpace space) {
        EnsembleStepper ensemble(toy_members(languages), {space, {}, false});
        return ensemble.step(at::full({2}, bos, at::kLong)).log_probs.exp().sum(1)[0].item<double>();
    };
    EXPECT_NEAR(total(EnsembleSpace::probability), 1.0, 1e-5);
    EXPECT_LT(total(EnsembleSpace::log), 0.99);
}

TEST(EnsembleStepper, KeepsItsPartsIfAsked) {
    const std::vector<ToyLanguage> languages = {{5, 2.0, 3}, {5, 6.0, 3}};
    const at::Tensor first = at::full({2}, bos, at::kLong);
    EnsembleStepper ensemble(toy_members(languages), {EnsembleSpace::log, {0.25, 0.75}, true});
    const StepOutput output = ensemble.step(first);
    ASSERT_EQ(output.model_log_probs.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        ToyModel alone(languages[i], keys, bos);
        EXPECT_TRUE(output.model_log_probs[i].equal(alone.step(first).log_probs));
    }
    EXPECT_TRUE(at::allclose(output.log_probs, 0.25 * output.model_log_probs[0] + 0.75 * output.model_log_probs[1]));
    EnsembleStepper without(toy_members(languages), {});
    EXPECT_TRUE(without.step(first).model_log_probs.empty());
}

// A toy model without attention.
class Blind : public ToyModel {
public:
    using ToyModel::ToyModel;
    StepOutput step(const at::Tensor& previous) override {
        StepOutput output = ToyModel::step(previous);
        output.attention = at::Tensor();
        return output;
    }
};

TEST(EnsembleStepper, AttentionIsTheMeanOfThoseThatShareTheSource) {
    const ToyLanguage language;
    const ToyLanguage wide{5, 2.0, 4};  // of another source vocabulary
    const at::Tensor first = at::full({2}, bos, at::kLong);
    const auto attention_of = [&](const ToyLanguage& of, std::uint64_t offset) {
        ToyModel model(of, {keys[0] + offset, keys[1] + offset}, bos);
        return model.step(first).attention;
    };
    const auto make = [&](bool blind_first) {
        Members members;
        if (blind_first) {
            members.push_back({std::make_unique<Blind>(language, keys, bos), true});
        } else {
            members.push_back({std::make_unique<ToyModel>(language, keys, bos), true});
        }
        members.push_back({std::make_unique<ToyModel>(wide, keys, bos), false});
        members.push_back({std::make_unique<ToyModel>(language, std::vector<std::uint64_t>{6, 18}, bos), true});
        return members;
    };
    EnsembleStepper both(make(false), {EnsembleSpace::probability, {0.2, 0.5, 0.3}, false});
    const at::Tensor expected = 0.4 * attention_of(language, 0) + 0.6 * attention_of(language, 1);
    EXPECT_TRUE(at::allclose(both.step(first).attention, expected, 1e-5, 1e-6));
    EnsembleStepper last(make(true), {EnsembleSpace::probability, {0.2, 0.5, 0.3}, false});
    EXPECT_TRUE(at::allclose(last.step(first).attention, attention_of(language, 1), 1e-5, 1e-6));
    EnsembleStepper none(make(true), {EnsembleSpace::probability, {0.2, 0.5, 0.0}, false});
    EXPECT_FALSE(none.step(first).attention.defined());
}

TEST(EnsembleStepper, ImpossibleTokensAndWeightsOfZero) {
    const float never = -std::numeric_limits<float>::infinity();
    const at::Tensor one = at::tensor({never, -1.0F, never}, at::kFloat);
    const at::Tensor other = at::tensor({-2.0F, -0.5F, never}, at::kFloat);
    const at::Tensor mean = average_log_probs({one.clone(), other.clone()}, {0.5, 0.5}, EnsembleSpace::probability);
    EXPECT_NEAR(mean[0].item<double>(), std::log(0.5 * std::exp(-2.0)), 1e-6);
    EXPECT_NEAR(mean[1].item<double>(), std::log(0.5 * std::exp(-1.0) + 0.5 * std::exp(-0.5)), 1e-6);
    EXPECT_EQ(mean[2].item<float>(), never);
    const at::Tensor logs = average_log_probs({one.clone(), other.clone()}, {0.5, 0.5}, EnsembleSpace::log);
    EXPECT_EQ(logs[0].item<float>(), never);
    EXPECT_NEAR(logs[1].item<double>(), -0.75, 1e-6);
    for (const EnsembleSpace space : {EnsembleSpace::probability, EnsembleSpace::log}) {
        EXPECT_TRUE(average_log_probs({one.clone(), other.clone()}, {0.0, 1.0}, space).equal(other));
    }
    // Where nothing but rounding is above 1, it is cut.
    EXPECT_LE(average_log_probs({at::zeros({1}), at::zeros({1}), at::zeros({1})}, normalised_weights({}, 3),
                                EnsembleSpace::probability)
                  .item<float>(),
              0.0F);
}

TEST(EnsembleStepper, FarApartProbabilitiesKeepTheirSum) {
    const at::Tensor sure = at::tensor({-1e-4F}, at::kFloat);
    const at::Tensor unlikely = at::tensor({-300.0F}, at::kFloat);  // exp of it is 0 in float
    EXPECT_NEAR(
        average_log_probs({unlikely.clone(), unlikely.clone()}, {0.5, 0.5}, EnsembleSpace::probability).item<double>(),
        -300.0, 1e-4);
    EXPECT_NEAR(
        average_log_probs({sure.clone(), unlikely.clone()}, {0.5, 0.5}, EnsembleSpace::probability).item<double>(),
        std::log(0.5) - 1e-4, 1e-6);
}

// The plain form is what other devices compute, and float64.
TEST(EnsembleStepper, FusedFormIsThePlainForm) {
    std::vector<at::Tensor> log_probs;
    std::vector<at::Tensor> in_double;
    for (int i = 0; i < 3; ++i) {
        log_probs.push_back(at::randn({7, 301}, at::kFloat).mul_(5.0).log_softmax(1));
        in_double.push_back(log_probs.back().to(at::kDouble));
    }
    const std::vector<double> weights = {0.2, 0.5, 0.3};
    const at::Tensor plain = average_log_probs(in_double, weights, EnsembleSpace::probability);
    const at::Tensor fused = average_log_probs(log_probs, weights, EnsembleSpace::probability);
    EXPECT_EQ(fused.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::allclose(fused.to(at::kDouble), plain, 1e-6, 1e-6));
}

TEST(EnsembleStepper, WeightsAreNormalisedOrRefused) {
    EXPECT_EQ(normalised_weights({}, 4), std::vector<double>(4, 0.25));
    EXPECT_EQ(normalised_weights({3.0, 1.0}, 2), (std::vector<double>{0.75, 0.25}));
    const auto message_of = [](const std::vector<double>& weights, std::size_t models) -> std::string {
        try {
            normalised_weights(weights, models);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::configuration);
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message_of({1.0}, 2),
              "the weights of the ensemble are 1 for 2 models; give one for each, in their order");
    EXPECT_NE(message_of({1.0, -0.1}, 2).find("must be numbers of 0 or more"), std::string::npos);
    EXPECT_NE(message_of({1.0, std::nan("")}, 2).find("must be numbers of 0 or more"), std::string::npos);
    EXPECT_NE(message_of({0.0, 0.0}, 2).find("must have a sum above 0"), std::string::npos);
}

}  // namespace
}  // namespace softalign
