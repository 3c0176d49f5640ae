#include "metrics/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "metrics/format.h"

namespace softalign {
namespace {

const NamedLines hypotheses{"out.de", {"Ein Mann schläft im Park .", "Zwei Hunde laufen ."}};
const NamedLines reference{"ref.de", {"Ein Mann schläft in einem Park .", "Zwei Hunde laufen ."}};

std::string fault(ExitCode code, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code);
        return error.what();
    }
    return "no error";
}

std::string usage_fault(const EvaluationRequest& request) {
    return fault(ExitCode::usage, [&] { bleu_options(request); });
}

TEST(Evaluation, TextIsALineWithTheSignature) {
    // 9 of 10 words, 6 of 8 pairs, 3 of 6 triples, 1 of 4; the reference has one word more.
    EXPECT_EQ(evaluate(hypotheses, {reference}, {}),
              "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 48.8 90.0/75.0/50.0/25.0 "
              "(BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)");
}

TEST(Evaluation, JsonHasTheFullScoreAndTheSignatureInParts) {
    EvaluationRequest request;
    request.format = "json";
    request.lowercase = true;
    request.tokenize = "none";
    request.smooth_method = "floor";
    request.smooth_value = 0.5;
    const std::string text = evaluate(hypotheses, {reference, reference}, request);
    const auto report = nlohmann::ordered_json::parse(text);
    const double expected =
        std::exp(1 - 11.0 / 10) * std::exp((std::log(90.0) + std::log(75.0) + std::log(50.0) + std::log(25.0)) / 4);
    EXPECT_NEAR(report.at("score").get<double>(), expected, 1e-12);
    EXPECT_EQ(report.at("signature"), "nrefs:2|case:lc|eff:no|tok:none|smooth:floor[0.50]|version:2.6.0");
    EXPECT_EQ(report.at("verbose_score"), "90.0/75.0/50.0/25.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)");
    std::vector<std::string> keys;
    for (const auto& item : report.items()) {
        keys.push_back(item.key());
    }
    EXPECT_EQ(keys, (std::vector<std::string>{"name", "score", "signature", "verbose_score", "nrefs", "case", "eff",
                                              "tok", "smooth", "version"}));
    EXPECT_EQ(report.at("name"), "BLEU");
    EXPECT_EQ(report.at("nrefs"), "2");
    EXPECT_EQ(report.at("smooth"), "floor[0.50]");
}

TEST(Evaluation, RatioToAnEmptyReferenceIsZero) {
    EXPECT_EQ(verbose_score(corpus_bleu({"a"}, {{""}}, {})),
              "0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 1 ref_len = 0)");
}

TEST(Evaluation, UnequalFilesAreNamedWithTheirCounts) {
    const NamedLines other{"short.de", {"eins"}};
    EXPECT_EQ(fault(ExitCode::data,
                    [&] {
                        evaluate(hypotheses, {reference, other}, {});
                    }),
              "out.de has 2 lines, but short.de has 1 line; a reference needs one line for each line that is scored");
}

TEST(Evaluation, AnEmptyFileIsNamed) {
    const NamedLines empty{"empty.de", {}};
    EXPECT_EQ(fault(ExitCode::data, [&] { evaluate(empty, {empty}, {}); }),
              "empty.de is empty: there is nothing to score");
}

TEST(Evaluation, UnknownNamesAreAnsweredWithThoseThatExist) {
    EvaluationRequest request;
    request.metrics = {"bleu", "chrf"};
    EXPECT_EQ(usage_fault(request), "unknown metric 'chrf'; there is: bleu");
    request.metrics = {};
    EXPECT_EQ(usage_fault(request), "--metrics names no metric; there is: bleu");
    request = {};
    request.tokenize = "ja-mecab";
    EXPECT_EQ(usage_fault(request), "unknown tokenizer 'ja-mecab'; there is: none, 13a, intl, zh, char");
    request = {};
    request.smooth_method = "laplace";
    EXPECT_EQ(usage_fault(request), "unknown smoothing method 'laplace'; there is: none, floor, add-k, exp");
    request = {};
    request.format = "xml";
    EXPECT_EQ(usage_fault(request), "unknown format 'xml'; there is: text, json");
}

TEST(Evaluation, SmoothValueNeedsASmoothingThatTakesIt) {
    EvaluationRequest request;
    request.smooth_value = 0.1;
    EXPECT_EQ(usage_fault(request),
              "--smooth-value has no use with --smooth-method exp; leave it out, or choose floor or add-k");
    request.smooth_method = "add-k";
    for (const double value : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
        request.smooth_value = value;
        EXPECT_EQ(usage_fault(request), "--smooth-value must be a number that is not negative");
    }
    request.smooth_value = 0.0;
    EXPECT_EQ(bleu_options(request).smooth_value, 0.0);
}

}  // namespace
}  // namespace softalign
