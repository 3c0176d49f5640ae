#include "metrics/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/format.h"

namespace softalign {
namespace {

using nlohmann::ordered_json;

const NamedLines hypotheses{"out.de", {"Ein Mann schläft im Park .", "Zwei Hunde laufen ."}};
const NamedLines reference{"ref.de", {"Ein Mann schläft in einem Park .", "Zwei Hunde laufen ."}};
const NamedLines other{"other.de", {"Ein Mann ist in einem Park .", "Zwei Hunde laufen schnell ."}};

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
    return fault(ExitCode::usage, [&] { check_request(request); });
}

std::string text_fault(const EvaluationTexts& texts, const EvaluationRequest& request) {
    return fault(ExitCode::usage, [&] { evaluate(texts, request); });
}

std::string report(const std::vector<NamedLines>& systems, const std::vector<NamedLines>& references,
                   const EvaluationRequest& request) {
    EvaluationTexts texts;
    texts.systems = systems;
    texts.references = references;
    return evaluate(texts, request);
}

std::vector<std::string> keys_of(const ordered_json& object) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) {
        keys.push_back(item.key());
    }
    return keys;
}

TEST(Evaluation, TextIsALineWithTheSignature) {
    // 9 of 10 words, 6 of 8 pairs, 3 of 6 triples, 1 of 4; the reference has one word more.
    EXPECT_EQ(report({hypotheses}, {reference}, {}),
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
    const auto parsed = ordered_json::parse(report({hypotheses}, {reference, reference}, request));
    const double expected =
        std::exp(1 - 11.0 / 10) * std::exp((std::log(90.0) + std::log(75.0) + std::log(50.0) + std::log(25.0)) / 4);
    EXPECT_NEAR(parsed.at("score").get<double>(), expected, 1e-12);
    EXPECT_EQ(parsed.at("signature"), "nrefs:2|case:lc|eff:no|tok:none|smooth:floor[0.50]|version:2.6.0");
    EXPECT_EQ(parsed.at("verbose_score"), "90.0/75.0/50.0/25.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)");
    EXPECT_EQ(keys_of(parsed), (std::vector<std::string>{"name", "score", "signature", "verbose_score", "nrefs", "case",
                                                         "eff", "tok", "smooth", "version", "statistics"}));
    EXPECT_EQ(parsed.at("name"), "BLEU");
    EXPECT_EQ(parsed.at("nrefs"), "2");
    EXPECT_EQ(parsed.at("smooth"), "floor[0.50]");
    EXPECT_EQ(parsed.at("statistics").at("counts"), (std::vector<int>{9, 6, 3, 1}));
}

TEST(Evaluation, SeveralMetricsStandInSacreBleusOrderWithTheirNumbersBelowEachOther) {
    EvaluationRequest request;
    request.metrics = {"ter", "chrf++", "bleu", "ter"};
    // "im" stands for "in einem": one substitution and one insertion on 11 words.
    const std::string text = report({hypotheses}, {reference}, request);
    EXPECT_EQ(text.find("BLEU|"), text.find_first_not_of(' '));
    const auto line = [&](int number) {
        std::istringstream lines(text);
        std::string found;
        for (int i = 0; i <= number; ++i) {
            std::getline(lines, found);
        }
        return found;
    };
    EXPECT_EQ(line(0).find(" = "), line(1).find(" = "));
    EXPECT_EQ(line(1).find(" = "), line(2).find(" = "));
    EXPECT_NE(line(1).find("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2"), std::string::npos);
    EXPECT_EQ(line(2), "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 18.2");
    request.quiet = true;
    request.width = 3;
    request.metrics = {"ter"};
    EXPECT_EQ(report({hypotheses}, {reference}, request), "18.182");
    request.quiet = false;
    request.format = "json";
    request.metrics = {"ter", "chrf"};
    const auto parsed = ordered_json::parse(report({hypotheses}, {reference}, request));
    ASSERT_EQ(parsed.size(), 2U);
    EXPECT_EQ(parsed[0].at("name"), "chrF2");
    EXPECT_EQ(parsed[1].at("score").get<double>(), 100.0 * (2.0 / 11.0));
    EXPECT_EQ(parsed[1].at("statistics").at("num_edits"), 2);
}

TEST(Evaluation, WhiteSpaceAtTheEndsOfLinesDoesNotCount) {
    EvaluationRequest request;
    request.metrics = {"chrf"};
    request.chrf.whitespace = true;
    const NamedLines spaced{"spaced.de", {reference.lines[0] + " \t", reference.lines[1] + "\xC2\xA0\r"}};
    EXPECT_NE(report({spaced}, {reference}, request).find(" = 100.0"), std::string::npos);
}

TEST(Evaluation, SentencesHaveALineEachAndTheOrdersTheyAreLongEnoughFor) {
    EvaluationRequest request;
    request.sentence_level = true;
    request.metrics = {"bleu"};
    const NamedLines short_text{"short", {"a b", "a b c d"}};
    EXPECT_EQ(
        report({short_text}, {short_text}, request),
        "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 100.0 100.0/100.0/0.0/0.0 (BP = 1.000 "
        "ratio = 1.000 hyp_len = 2 ref_len = 2)\n"
        "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 100.0 100.0/100.0/100.0/100.0 (BP = "
        "1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)");
    request.metrics = {"ter", "bleu"};
    request.quiet = true;
    EXPECT_EQ(report({short_text}, {short_text}, request), "100.0\t0.0\n100.0\t0.0");
    request.quiet = false;
    request.format = "json";
    std::istringstream lines(report({short_text}, {short_text}, request));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_EQ(ordered_json::parse(line).at(1).at("score"), 0.0);
    }
    EXPECT_EQ(count, 2);
}

TEST(Evaluation, ConfidenceIsBehindTheScoreAndInTheSignature) {
    EvaluationRequest request;
    request.metrics = {"ter"};
    request.confidence = true;
    request.confidence_samples = 40;
    // Drawn by numpy with seed 12345: both sentences, the first twice, or the second twice: 18.2, 28.6 or 0.
    const std::string text = report({hypotheses}, {reference}, request);
    EXPECT_NE(text.find("TER|nrefs:1|bs:40|seed:12345|case:lc"), std::string::npos);
    EXPECT_NE(text.find(" = 18.2 (μ = "), std::string::npos);
    EXPECT_NE(text.find(" ± 14.3)"), std::string::npos);
    request.format = "json";
    const auto parsed = ordered_json::parse(report({hypotheses}, {reference}, request));
    EXPECT_EQ(keys_of(parsed), (std::vector<std::string>{"name", "score", "signature", "confidence_mean",
                                                         "confidence_var", "confidence", "nrefs", "bs", "seed", "case",
                                                         "tok", "norm", "punct", "asian", "version", "statistics"}));
    EXPECT_NEAR(parsed.at("confidence_var").get<double>(), 100.0 / 7, 1e-5);
}

TEST(Evaluation, SeveralSystemsAreATable) {
    EvaluationRequest request;
    request.metrics = {"bleu", "ter"};
    EXPECT_EQ(report({hypotheses, other}, {reference}, request),
              "system    BLEU   TER\n"
              "out.de    48.8  18.2\n"
              "other.de  42.0  18.2\n"
              "\n"
              "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n"
              "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0");
    request.quiet = true;
    EXPECT_EQ(report({hypotheses, other}, {reference}, request), "48.8\t18.2\n42.0\t18.2");
}

TEST(Evaluation, PairedTestsCompareWithTheFirstSystem) {
    EvaluationRequest request;
    request.paired_bootstrap = true;
    request.bootstrap_samples = 100;
    const std::string text = report({hypotheses, other, hypotheses}, {reference}, request);
    EXPECT_NE(text.find("BLEU (μ ± 95% CI)"), std::string::npos);
    EXPECT_NE(text.find("baseline: out.de"), std::string::npos);
    EXPECT_NE(text.find("BLEU|nrefs:1|bs:100|seed:12345|"), std::string::npos);
    EXPECT_NE(text.find("* marks p < 0.05"), std::string::npos);
    request.format = "json";
    request.paired_bootstrap = false;
    request.paired_randomization = true;
    request.trials = 100;
    request.seed = 7;
    const auto parsed = ordered_json::parse(report({hypotheses, other}, {reference}, request));
    ASSERT_EQ(parsed.size(), 2U);
    EXPECT_EQ(keys_of(parsed[1]), (std::vector<std::string>{"system", "BLEU"}));
    EXPECT_TRUE(parsed[0].at("BLEU").at("p_value").is_null());
    EXPECT_TRUE(parsed[1].at("BLEU").at("mean").is_null());
    // Half of the trials swap nothing or everything, and differ as much as the systems do.
    EXPECT_NEAR(parsed[1].at("BLEU").at("p_value").get<double>(), 0.5, 0.5);
    EXPECT_NE(parsed[1].at("BLEU").at("signature").get<std::string>().find("|ar:100|seed:7|"), std::string::npos);
}

TEST(Evaluation, ErrorRatesAreWhereTheOtherMetricsAre) {
    EvaluationRequest request;
    request.metrics = {"wer", "cer", "ter"};
    // "im" for "in einem": six insertions in 32 and 19 characters; two edits in 7 and 4 words.
    const std::string text = report({hypotheses}, {reference}, request);
    EXPECT_NE(text.find(" CER|nrefs:1|case:mixed|norm:nfc|ref:closest = 11.8\n"), std::string::npos) << text;
    EXPECT_NE(text.find(" WER|nrefs:1|case:mixed|norm:nfc|ref:closest = 18.2"), std::string::npos) << text;
    request.metrics = {"cer", "wer"};
    request.sentence_level = true;
    request.quiet = true;
    EXPECT_EQ(report({hypotheses}, {reference}, request), "18.8\t28.6\n0.0\t0.0");
    request = {};
    request.metrics = {"cer"};
    request.format = "json";
    const auto parsed = ordered_json::parse(report({hypotheses}, {reference}, request));
    EXPECT_EQ(parsed.at("score").get<double>(), 100.0 * (6.0 / 51.0));
    EXPECT_EQ(parsed.at("statistics"), (ordered_json{{"num_edits", 6}, {"ref_length", 51.0}}));
    EXPECT_EQ(parsed.at("ref"), "closest");
    request = {};
    request.metrics = {"cer", "wer"};
    request.error_rate.lowercase = true;
    request.confidence = true;
    request.confidence_samples = 40;
    EXPECT_NE(report({hypotheses}, {reference}, request).find("CER|nrefs:1|bs:40|seed:12345|case:lc|norm:nfc"),
              std::string::npos);
    request = {};
    request.metrics = {"wer"};
    request.paired_randomization = true;
    request.trials = 100;
    request.breakdowns = {"length"};
    const std::string compared = report({hypotheses, other}, {reference}, request);
    EXPECT_NE(compared.find("baseline: out.de"), std::string::npos) << compared;
    EXPECT_NE(compared.find("system    WER  length ratio"), std::string::npos) << compared;
}

// The first of two systems is the better one, so the second lost.
TEST(Evaluation, ChangesOfErrorRatesKnowThatLowerIsBetter) {
    EvaluationRequest request;
    request.metrics = {"cer"};
    request.changes = 1;
    const std::string text = report({reference, hypotheses}, {reference}, request);
    EXPECT_NE(text.find("gained most from ref.de to out.de (CER of the sentence)\nnone\n"), std::string::npos) << text;
    EXPECT_NE(text.find("line 1: 0.0 -> 18.8"), std::string::npos) << text;
}

TEST(Evaluation, NamesOfArraysHaveNoLength) {
    EvaluationRequest request;
    request.breakdowns = {"length"};
    const std::string text = evaluate({{hypotheses}, {reference}, reference, {}, {}, false}, request);
    EXPECT_NE(text.find("By the length of the reference"), std::string::npos) << text;
}

TEST(Evaluation, RatioToAnEmptyReferenceIsZero) {
    EXPECT_EQ(verbose_score(corpus_bleu({"a"}, {{""}}, {})),
              "0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 1 ref_len = 0)");
}

TEST(Evaluation, UnequalFilesAreNamedWithTheirCounts) {
    const NamedLines shorter{"short.de", {"eins"}};
    EXPECT_EQ(fault(ExitCode::data,
                    [&] {
                        report({hypotheses}, {reference, shorter}, {});
                    }),
              "out.de has 2 lines, but short.de has 1 line; a reference needs one line for each line that is scored");
    EvaluationTexts texts;
    texts.systems = {hypotheses};
    texts.references = {reference};
    texts.source = shorter;
    EXPECT_EQ(fault(ExitCode::data, [&] { evaluate(texts, {}); }),
              "out.de has 2 lines, but short.de has 1 line; the source needs one line for each line that is scored");
}

TEST(Evaluation, AnEmptyFileIsNamed) {
    const NamedLines empty{"empty.de", {}};
    EXPECT_EQ(fault(ExitCode::data, [&] { report({empty}, {empty}, {}); }),
              "empty.de is empty: there is nothing to score");
}

TEST(Evaluation, MissingReferencesAreNamedByLine) {
    EvaluationRequest request;
    request.empty_references = EmptyReferences::missing;
    const NamedLines gap{"gap.de", {"Ein Mann", ""}};
    EXPECT_EQ(fault(ExitCode::data, [&] { report({hypotheses}, {gap}, request); }),
              "line 2 has no reference: it is empty in every reference file");
    EXPECT_NE(report({hypotheses}, {gap, reference}, request).find("nrefs:var|"), std::string::npos);
}

TEST(Evaluation, UnknownNamesAreAnsweredWithThoseThatExist) {
    EvaluationRequest request;
    request.metrics = {"bleu", "comet"};
    EXPECT_EQ(usage_fault(request), "--metrics: unknown metric 'comet'; there is: bleu, chrf, chrf++, ter, cer, wer");
    request.metrics = {};
    EXPECT_EQ(usage_fault(request), "--metrics names no metric; allowed are: bleu, chrf, chrf++, ter, cer, wer");
    request = {};
    request.tokenize = "ja-mecab";
    EXPECT_EQ(usage_fault(request), "--tokenize: unknown tokenizer 'ja-mecab'; there is: none, 13a, intl, zh, char");
    request = {};
    request.smooth_method = "laplace";
    EXPECT_EQ(usage_fault(request),
              "--smooth-method: unknown smoothing method 'laplace'; there is: none, floor, add-k, exp");
    request = {};
    request.format = "xml";
    EXPECT_EQ(usage_fault(request), "--format: unknown format 'xml'; there is: text, json");
    request = {};
    request.breakdowns = {"rarity"};
    EXPECT_EQ(usage_fault(request), "--by: unknown breakdown 'rarity'; there is: length, frequency, words");
}

TEST(Evaluation, TheOldNameOfATokenizerIsThatTokenizer) {
    EvaluationRequest request;
    request.tokenize = "v14";
    EXPECT_NE(report({hypotheses}, {reference}, request).find("|tok:intl|"), std::string::npos);
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

TEST(Evaluation, ContradictionsAreExplained) {
    EvaluationRequest request;
    request.chrf.character_order = 0;
    EXPECT_EQ(usage_fault(request), "chrF needs n-grams: --chrf-char-order or --chrf-word-order has to be more than 0");
    request.chrf.character_order = 101;
    EXPECT_EQ(usage_fault(request), "--chrf-char-order is 101; it goes from 0 to 100");
    request = {};
    request.paired_bootstrap = true;
    EXPECT_EQ(text_fault({{hypotheses}, {reference}, {}, {}, {}}, request),
              "a paired test compares systems: give two or more files to --hypotheses");
    request.paired_randomization = true;
    EXPECT_EQ(usage_fault(request), "--paired-bs and --paired-ar are two tests; choose one");
    request = {};
    request.confidence = true;
    EXPECT_EQ(text_fault({{hypotheses, other}, {reference}, {}, {}, {}}, request),
              "--confidence is for one system; for several take --paired-bs, which gives their intervals too");
    request.sentence_level = true;
    EXPECT_EQ(usage_fault(request), "single sentences have no significance tests; leave out --sentence-level");
    request = {};
    request.breakdowns = {"frequency"};
    EXPECT_EQ(text_fault({{hypotheses}, {reference}, reference, {}, {}}, request),
              "--by frequency needs the source and the text that the model was trained on: --source FILE and "
              "--training-source FILE");
    EXPECT_EQ(text_fault({{hypotheses}, {reference}, reference, reference, {}, false}, request),
              "--by frequency counts words of the source, and features have none");
    request.breakdowns = {"words"};
    EXPECT_EQ(text_fault({{hypotheses}, {reference}, {}, {}, {}}, request),
              "--by words needs the text that the model was trained on: --training-target FILE");
}

TEST(Evaluation, TokenisedTextIsSuspected) {
    NamedLines tokenised{"tok.de", std::vector<std::string>(100, "Ein Satz .")};
    EvaluationTexts texts{{tokenised}, {tokenised}, {}, {}, {}};
    EvaluationRequest request;
    EXPECT_EQ(tokenized_text_warning(texts, request).find("tok.de: 100 lines end with a separate period"), 0U);
    request.tokenize = "none";
    EXPECT_EQ(tokenized_text_warning(texts, request), "");
    request.tokenize = "13a";
    texts.systems[0].lines.pop_back();
    EXPECT_EQ(tokenized_text_warning(texts, request), "");
}

}  // namespace
}  // namespace softalign
