#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/statistics.h"
#include "metrics/text_metric.h"

namespace softalign {
namespace {

using nlohmann::json;

json read_json(const std::string& path) {
    std::ifstream file(path);
    return json::parse(file);
}

BleuOptions bleu_options_of(const json& named) {
    BleuOptions options;
    options.tokenizer = *find_bleu_tokenizer(named.value("tokenize", "13a"));
    options.smoothing = *find_bleu_smoothing(named.value("smooth_method", "exp"));
    options.smooth_value = named.value("smooth_value", -1.0);
    options.lowercase = named.value("lowercase", false);
    options.effective_order = named.value("effective_order", false);
    return options;
}

ChrfOptions chrf_options_of(const json& named) {
    ChrfOptions options;
    options.character_order = named.value("char_order", 6);
    options.word_order = named.value("word_order", 0);
    options.beta = named.value("beta", 2);
    options.whitespace = named.value("whitespace", false);
    options.lowercase = named.value("lowercase", false);
    options.epsilon_smoothing = named.value("eps_smoothing", false);
    return options;
}

TerOptions ter_options_of(const json& named) {
    TerOptions options;
    options.normalized = named.value("normalized", false);
    options.no_punctuation = named.value("no_punct", false);
    options.asian_support = named.value("asian_support", false);
    options.case_sensitive = named.value("case_sensitive", false);
    return options;
}

std::unique_ptr<TextMetric> metric_of(const json& expected) {
    const std::string name = expected.at("metric");
    const json& options = expected.at("options");
    return name == "bleu"   ? make_bleu(bleu_options_of(options))
           : name == "chrf" ? make_chrf(chrf_options_of(options))
                            : make_ter(ter_options_of(options));
}

// Every figure that the case has, to the last bit.
void expect_figures(const json& corpus, const json& expected) {
    SCOPED_TRACE(corpus.at("name").get<std::string>() + " " + expected.at("metric").get<std::string>() + " " +
                 expected.at("options").dump());
    const std::vector<std::vector<std::string>> streams = corpus.at("references");
    const std::vector<std::string> hypotheses = corpus.at("hypotheses");
    const ReferenceSet references(streams, EmptyReferences::count);
    const std::unique_ptr<TextMetric> metric = metric_of(expected);
    const std::vector<double> sums = system_statistics(*metric, references, hypotheses).sums();
    EXPECT_EQ(metric->score(sums.data()), expected.at("score").get<double>());
    if (expected.contains("signature")) {
        EXPECT_EQ(metric->signature({references.count(), {}, {}, {}}), expected.at("signature").get<std::string>());
    }
    const std::string text = metric->details(sums.data());
    const json details = text.empty() ? json::object() : json::parse(text);
    for (const char* figure :
         {"counts", "totals", "precisions", "bp", "sys_len", "ref_len", "num_edits", "ref_length"}) {
        if (expected.contains(figure)) {
            EXPECT_EQ(details.at(figure), expected.at(figure)) << figure;
        }
    }
}

// Figures of an independent implementation: make_golden.py, beside this file.
TEST(Golden, FiguresOfTheScript) {
    for (const json& corpus : read_json(SOFTALIGN_SOURCE_DIR "/tests/metrics/golden.json")) {
        for (const json& expected : corpus.at("scores")) {
            expect_figures(corpus, expected);
        }
    }
}

TEST(Golden, FiguresOfSacreBleu) {
    const std::string path = SOFTALIGN_SOURCE_DIR "/../shared/scoring/sacrebleu_cases.json";
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << "sacreBLEU's figures are not here: " << path;
    }
    std::size_t compared = 0;
    for (const json& corpus : read_json(path)) {
        for (const json& expected : corpus.at("scores")) {
            expect_figures(corpus, expected);
            ++compared;
        }
    }
    EXPECT_GE(compared, 200U);
}

}  // namespace
}  // namespace softalign
