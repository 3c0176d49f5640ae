#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "metrics/bleu.h"

namespace softalign {
namespace {

using nlohmann::json;

json read_json(const std::string& path) {
    std::ifstream file(path);
    return json::parse(file);
}

BleuOptions options_of(const json& named, const char* smoothing_key, const char* value_key) {
    BleuOptions options;
    options.tokenizer = *find_bleu_tokenizer(named.value("tokenize", "13a"));
    options.smoothing = *find_bleu_smoothing(named.value(smoothing_key, "exp"));
    options.smooth_value = named.value(value_key, -1.0);
    options.lowercase = named.value("lowercase", false);
    options.effective_order = named.value("effective_order", false);
    return options;
}

// Figures of an independent implementation: make_golden.py, beside this file.
TEST(Golden, FiguresOfTheScript) {
    for (const json& corpus : read_json(SOFTALIGN_SOURCE_DIR "/tests/metrics/bleu_golden.json")) {
        for (const json& expected : corpus.at("scores")) {
            SCOPED_TRACE(corpus.at("name").get<std::string>() + " " + expected.at("options").dump());
            const BleuScore score = corpus_bleu(corpus.at("hypotheses"), corpus.at("references"),
                                                options_of(expected.at("options"), "smooth", "value"));
            EXPECT_EQ(json(score.correct), expected.at("correct"));
            EXPECT_EQ(json(score.total), expected.at("total"));
            EXPECT_EQ(score.hypothesis_length, expected.at("length"));
            EXPECT_EQ(score.reference_length, expected.at("reference_length"));
            EXPECT_DOUBLE_EQ(score.brevity_penalty, expected.at("brevity_penalty").get<double>());
            EXPECT_DOUBLE_EQ(score.score, expected.at("score").get<double>());
            for (std::size_t i = 0; i < 4; ++i) {
                EXPECT_DOUBLE_EQ(score.precisions[i], expected.at("precisions").at(i).get<double>());
            }
        }
    }
}

// Counts as sacreBLEU gives them, which are after add-k smoothing.
void expect_counts(const BleuScore& score, const json& expected, const BleuOptions& options) {
    const bool added = options.smoothing == BleuSmoothing::add_k && score.correct[0] > 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const double value = added && i > 0 ? options.smooth_value : 0.0;
        EXPECT_EQ(static_cast<double>(score.correct[i]) + value, expected.at("counts").at(i).get<double>());
        EXPECT_EQ(static_cast<double>(score.total[i]) + value, expected.at("totals").at(i).get<double>());
        EXPECT_DOUBLE_EQ(score.precisions[i], expected.at("precisions").at(i).get<double>());
    }
}

TEST(Golden, FiguresOfSacreBleu) {
    const std::string path = SOFTALIGN_SOURCE_DIR "/../shared/scoring/sacrebleu_cases.json";
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << "sacreBLEU's figures are not here: " << path;
    }
    int compared = 0;
    for (const json& corpus : read_json(path)) {
        for (const json& expected : corpus.at("scores")) {
            if (expected.at("metric") != "bleu") {
                continue;
            }
            SCOPED_TRACE(corpus.at("name").get<std::string>() + " " + expected.at("options").dump());
            const BleuOptions options = options_of(expected.at("options"), "smooth_method", "smooth_value");
            const BleuScore score = corpus_bleu(corpus.at("hypotheses"), corpus.at("references"), options);
            EXPECT_DOUBLE_EQ(score.score, expected.at("score").get<double>());
            EXPECT_DOUBLE_EQ(score.brevity_penalty, expected.at("bp").get<double>());
            EXPECT_EQ(score.hypothesis_length, expected.at("sys_len"));
            EXPECT_EQ(score.reference_length, expected.at("ref_len"));
            EXPECT_EQ(score.signature, expected.at("signature"));
            expect_counts(score, expected, options);
            ++compared;
        }
    }
    EXPECT_GE(compared, 100);
}

}  // namespace
}  // namespace softalign
