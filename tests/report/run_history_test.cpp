#include "report/run_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace softalign {
namespace {

RunHistory log_of(const std::vector<std::string>& lines) {
    MetricsRecords metrics;
    for (const std::string& line : lines) {
        metrics.records.push_back(nlohmann::json::parse(line));
    }
    return run_history(metrics);
}

TEST(RunHistory, CurvesAndBestValidation) {
    const RunHistory log = log_of({
        R"({"type":"train","update":50,"epoch":1,"loss":7,"learning_rate":0.1,"gradient_norm":2,"tokens_per_second":100,"minutes":1})",
        R"({"type":"validation","update":60,"epoch":1,"cross_entropy":5,"perplexity":148,"bleu":10,"bleu_signature":"s1","best":true})",
        R"({"type":"train","update":100,"epoch":2,"loss":6,"learning_rate":0.2,"gradient_norm":1,"tokens_per_second":300,"minutes":2})",
        R"({"type":"validation","update":120,"epoch":2,"cross_entropy":4,"perplexity":55,"bleu":12,"bleu_signature":"s2","best":true,"minutes":3})",
        R"({"type":"validation","update":180,"epoch":3,"cross_entropy":4.5,"perplexity":60,"bleu":11,"bleu_signature":"s3","best":false})",
    });
    ASSERT_EQ(log.curves.train_loss.size(), 2U);
    EXPECT_EQ(log.curves.train_loss[1].x, 100);
    EXPECT_EQ(log.curves.train_loss[1].y, 6);
    EXPECT_EQ(log.curves.learning_rate[1].y, 0.2);
    EXPECT_EQ(log.curves.gradient_norm[0].y, 2);
    EXPECT_EQ(log.curves.validation_loss.size(), 3U);
    EXPECT_EQ(log.curves.bleu[2].y, 11);
    ASSERT_NE(log.best(), nullptr);
    EXPECT_EQ(log.best()->update, 120);
    ASSERT_EQ(log.best()->scores.size(), 1U);
    EXPECT_EQ(log.best()->scores[0].metric, "BLEU");
    EXPECT_EQ(log.best()->scores[0].score, 12);
    EXPECT_EQ(log.best()->scores[0].signature, "s2");
    EXPECT_EQ(log.updates, 180);
    EXPECT_EQ(log.epochs, 3);
    EXPECT_EQ(log.minutes, 3);
    EXPECT_EQ(log.mean_speed(), 200);
    EXPECT_TRUE(log.problems.empty());
}

TEST(RunHistory, HasEveryMetricOfAValidation) {
    const RunHistory log = log_of({
        R"({"type":"validation","update":20,"wer":30,"cer":12.5,"ter":60,"chrf":50.5,"chrf_signature":"c","bleu":10,"best":true})",
        R"({"type":"validation","update":10,"ter":70,"chrf++":40})",
    });
    ASSERT_NE(log.best(), nullptr);
    ASSERT_EQ(log.best()->scores.size(), 5U);
    EXPECT_EQ(log.best()->scores[0].metric, "BLEU");
    EXPECT_EQ(log.best()->scores[1].metric, "chrF2");
    EXPECT_EQ(log.best()->scores[1].signature, "c");
    EXPECT_EQ(log.best()->scores[2].metric, "TER");
    EXPECT_EQ(log.best()->scores[3].metric, "CER");
    EXPECT_EQ(log.best()->scores[3].score, 12.5);
    EXPECT_EQ(log.best()->scores[4].metric, "WER");
    ASSERT_EQ(log.curves.ter.size(), 2U);
    EXPECT_EQ(log.curves.ter[0].y, 70);
    EXPECT_EQ(log.curves.cer.size(), 1U);
    EXPECT_EQ(log.curves.wer.size(), 1U);
    EXPECT_EQ(log.curves.chrf.size(), 1U);
    EXPECT_EQ(log.curves.chrf_plus_plus.size(), 1U);
}

TEST(RunHistory, NullIsAGapAndAMissingValueIsNone) {
    const RunHistory log = log_of({R"({"type":"train","update":1,"loss":null})", R"({"type":"train","update":2})"});
    ASSERT_EQ(log.curves.train_loss.size(), 1U);
    EXPECT_TRUE(std::isnan(log.curves.train_loss[0].y));
    EXPECT_EQ(log.mean_speed(), 0);
    EXPECT_EQ(log.best(), nullptr);
}

TEST(RunHistory, HostileRecords) {
    const RunHistory log = log_of({
        R"({})",
        R"({"type":7,"update":1})",
        R"({"type":"other","update":1,"loss":1})",
        R"({"type":"train","update":"<script>","loss":1})",
        R"({"type":"train","update":-5,"loss":1})",
        R"({"type":"train","loss":1})",
        R"({"type":"train","update":3,"loss":"<b>","epoch":[],"minutes":{}})",
        R"({"type":"validation","update":4,"best":"true","bleu":{},"bleu_signature":5})",
    });
    ASSERT_EQ(log.problems.size(), 1U);
    EXPECT_NE(log.problems[0].find("without the number of an update: 3;"), std::string::npos);
    ASSERT_EQ(log.curves.train_loss.size(), 1U);
    EXPECT_TRUE(std::isnan(log.curves.train_loss[0].y));
    EXPECT_EQ(log.best(), nullptr);
    EXPECT_EQ(log.updates, 4);
}

TEST(RunHistory, UpdatesAreSorted) {
    const RunHistory log =
        log_of({R"({"type":"train","update":9,"loss":1})", R"({"type":"train","update":3,"loss":2})"});
    EXPECT_EQ(log.curves.train_loss[0].x, 3);
    EXPECT_EQ(log.curves.train_loss[1].x, 9);
}

}  // namespace
}  // namespace softalign
