#include "report/run_review.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/temporary.h"
#include "cli/fixtures.h"
#include "report/translation_report.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class ReviewTest : public testing::Test {
protected:
    void SetUp() override {
        std::ofstream(source_) << "the cat sees the dog\na dog\nthe house is small\n\na small cat sees a house\n";
        std::ofstream(target_) << "the dog\na dog\nthe small house\n\na house\n";
        config_ = small_model_config();
        config_.data.valid_source = source_;
        config_.data.valid_target = target_;
    }

    std::string run_in(const std::string& name, const Config& config) {
        const std::string path = directory_.path(name);
        write_model(path, config);
        std::ofstream(path + "/metrics.jsonl")
            << R"({"type":"train","update":1,"epoch":1,"loss":3,"minutes":0.5})"
            << "\n"
            << R"({"type":"validation","update":1,"epoch":1,"cross_entropy":2,"bleu":12.345,"bleu_signature":"sig","best":true})"
            << "\n";
        return path;
    }
    std::string run_in(const std::string& name) { return run_in(name, config_); }

    TemporaryDirectory directory_{"review"};
    std::string source_ = directory_.path("valid.src");
    std::string target_ = directory_.path("valid.tgt");
    Config config_;
};

TEST_F(ReviewTest, TranslatesInThePrecisionOfTheRun) {
    const auto entropies = [&](Precision configured, std::optional<Precision> asked) {
        Config config = config_;
        config.runtime.precision = configured;
        ReviewOptions options;
        options.precision = asked;
        std::vector<double> values;
        const Report report = review_runs({run_in("run", config)}, options);
        for (const Point& point : report.runs[0].entropy) {
            values.push_back(point.y);
        }
        return values;
    };
    const std::vector<double> plain = entropies(Precision::float32, std::nullopt);
    const std::vector<double> rounded = entropies(Precision::bfloat16, std::nullopt);
    EXPECT_NE(rounded, plain);
    EXPECT_EQ(entropies(Precision::float32, Precision::bfloat16), rounded);
    EXPECT_EQ(entropies(Precision::bfloat16, Precision::float32), plain);
}

TEST_F(ReviewTest, HasAllOfARun) {
    const Report report = review_runs({run_in("run")}, {});
    ASSERT_EQ(report.runs.size(), 1U);
    const ReportRun& run = report.runs[0];
    EXPECT_EQ(report.title, "run");
    EXPECT_EQ(run.problems, std::vector<std::string>{});
    EXPECT_EQ(run.facts[0].name, "Validation BLEU");
    EXPECT_EQ(run.facts[0].value, "12.35");
    EXPECT_EQ(run.facts[0].note, "sig");
    EXPECT_EQ(run.curves.train_loss.size(), 1U);
    EXPECT_EQ(run.vocabularies.size(), 3U);
    EXPECT_EQ(run.entropy.size(), 5U);
    EXPECT_FALSE(run.by_length.empty());
    ASSERT_EQ(report.groups.size(), 3U);  // of five sentences one of each kind
    for (const SentenceGroup& group : report.groups) {
        ASSERT_EQ(group.sentences.size(), 1U);
        const ReportSentence& sentence = group.sentences[0];
        ASSERT_EQ(sentence.outputs.size(), 1U);
        ASSERT_TRUE(sentence.outputs[0].attention.has_value());
        const AttentionPicture& picture = *sentence.outputs[0].attention;
        EXPECT_EQ(picture.weights.size(), picture.target.size());
        EXPECT_EQ(picture.weights[0].size(), picture.source.size());
        EXPECT_EQ(picture.source.back(), "</s>");
    }
    EXPECT_TRUE(has(report_page(report), "<section id=\"sentences\">"));
}

TEST_F(ReviewTest, WithoutTheValidationTextTheRestIsShown) {
    const std::string run = run_in("run");
    fs::remove(source_);
    const Report report = review_runs({run}, {});
    ASSERT_EQ(report.runs[0].problems.size(), 1U);
    EXPECT_TRUE(has(report.runs[0].problems[0], source_));
    EXPECT_TRUE(report.groups.empty());
    EXPECT_EQ(report.runs[0].curves.train_loss.size(), 1U);
    EXPECT_EQ(report.runs[0].vocabularies.size(), 1U);
}

TEST_F(ReviewTest, ATextWithoutSentencesIsSaid) {
    const std::string run = run_in("run");
    std::ofstream(directory_.path("nothing")).close();
    ReviewOptions options;
    options.source = directory_.path("nothing");
    Report report = review_runs({run}, options);
    EXPECT_EQ(report.runs[0].problems,
              std::vector<std::string>{"nothing has no sentences, so no translations are shown."});
    std::ofstream(source_, std::ios::trunc).close();
    std::ofstream(target_, std::ios::trunc).close();
    report = review_runs({run}, {});
    EXPECT_EQ(report.runs[0].problems,
              std::vector<std::string>{"valid.src has no sentences, so no translations are shown."});
}

TEST_F(ReviewTest, WithoutLogModelOrVocabularyTheRestIsShown) {
    const std::string run = run_in("run");
    fs::remove(run + "/metrics.jsonl");
    fs::remove(run + "/model.safetensors");
    Report report = review_runs({run}, {});
    ASSERT_EQ(report.runs[0].problems.size(), 2U);
    EXPECT_TRUE(has(report.runs[0].problems[0], "There are no curves"));
    EXPECT_TRUE(has(report.runs[0].problems[1], "The model cannot be used"));
    EXPECT_FALSE(report.runs[0].settings.empty());
    fs::remove(run + "/joint.spm");
    std::ofstream(run + "/config.yaml") << "nonsense: [";
    std::ofstream(run + "/metrics.jsonl") << "{\"type\":\"train\",\"update\":1,\"loss\":2}\n{\"type\":\"tr";
    report = review_runs({run}, {});
    EXPECT_EQ(report.runs[0].curves.train_loss.size(), 1U);
    EXPECT_EQ(report.runs[0].config, "nonsense: [");
    EXPECT_TRUE(has(report_page(report), "is incomplete, as after a run was killed"));
}

TEST_F(ReviewTest, WhatIsNoRunIsRefused) {
    fs::create_directories(directory_.path("empty"));
    for (const std::string& path : {directory_.path("empty"), directory_.path("none"), source_}) {
        try {
            review_runs({path}, {});
            FAIL() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::model);
            EXPECT_TRUE(has(error.what(), path));
        }
    }
}

TEST_F(ReviewTest, SentencesCanBeLimitedOrLeftOut) {
    const std::string run = run_in("run");
    ReviewOptions options;
    options.sentences = 2;
    const Report some = review_runs({run}, options);
    EXPECT_EQ(some.runs[0].entropy.size(), 2U);
    EXPECT_TRUE(has(some.sentences_note, "The first 2 of 5 sentences of valid.src"));
    options.sentences = 0;
    const Report report = review_runs({run}, options);
    EXPECT_TRUE(report.groups.empty());
    EXPECT_TRUE(report.runs[0].problems.empty());
}

TEST_F(ReviewTest, AnotherTextWithAndWithoutReferences) {
    const std::string run = run_in("run");
    std::ofstream(directory_.path("other")) << "a house\n";
    ReviewOptions options;
    options.source = directory_.path("other");
    const Report report = review_runs({run}, options);
    ASSERT_EQ(report.groups.size(), 1U);
    EXPECT_EQ(report.groups[0].sentences[0].source, "a house");
    EXPECT_FALSE(report.groups[0].sentences[0].reference.has_value());
    options.references = target_;  // five lines
    EXPECT_THROW(review_runs({run}, options), Error);
    options = {};
    options.source = directory_.path("none");
    EXPECT_THROW(review_runs({run}, options), Error);
}

TEST_F(ReviewTest, RunsSideBySide) {
    const std::string first = run_in("a/run");
    Config other = config_;
    other.search.beam = 1;
    const std::string second = run_in("b/run", other);
    const Report report = review_runs({first, second}, {});
    EXPECT_EQ(report.runs[0].name, "run");
    EXPECT_EQ(report.runs[1].name, "run (2)");
    ASSERT_EQ(report.groups.size(), 4U);
    EXPECT_EQ(report.groups[0].sentences[0].outputs.size(), 2U);
    EXPECT_TRUE(
        has(report_page(report), "<th scope=\"row\">search.beam</th><td><bdi>3</bdi></td><td><bdi>1</bdi></td>"));
}

TEST_F(ReviewTest, RunsOfDifferentTextsSaySo) {
    const std::string first = run_in("first");
    Config other = config_;
    other.data.valid_source = other.data.valid_target = directory_.path("other");
    std::ofstream(directory_.path("other")) << "a dog\n";
    const std::string second = run_in("second", other);
    const Report report = review_runs({first, second}, {});
    EXPECT_TRUE(report.runs[0].problems.empty());
    ASSERT_EQ(report.runs[1].problems.size(), 1U);
    EXPECT_TRUE(has(report.runs[1].problems[0], "not that of first"));
    EXPECT_EQ(report.groups[0].sentences[0].outputs.size(), 1U);
}

TEST_F(ReviewTest, ModelWithoutAttention) {
    Config config = config_;
    config.model.attention.type = AttentionType::none;
    config.model.decoder.attend = AttendWhen::never;
    const Report report = review_runs({run_in("run", config)}, {});
    EXPECT_EQ(report.runs[0].problems, std::vector<std::string>{});
    EXPECT_TRUE(report.runs[0].entropy.empty());
    EXPECT_FALSE(report.groups[0].sentences[0].outputs[0].attention.has_value());
    EXPECT_FALSE(has(report_page(report), "class=\"heat\""));
}

TEST_F(ReviewTest, PicturesThatDoNotFitAreLeftOutAndCounted) {
    const std::string run = run_in("run");
    const auto pictures = [&](const Report& report) {
        std::size_t count = 0;
        for (const SentenceGroup& group : report.groups) {
            for (const ReportSentence& sentence : group.sentences) {
                for (const ReportOutput& output : sentence.outputs) {
                    count += output.attention ? 1 : 0;
                }
            }
        }
        return count;
    };
    ReviewOptions options;
    const Report all = review_runs({run, run}, options);
    EXPECT_EQ(pictures(all), 8U);
    options.picture_bytes = 1200;  // less than two of the first sentence and one of the second take
    const Report some = review_runs({run, run}, options);
    EXPECT_EQ(pictures(some), 0U);
    EXPECT_EQ(some.runs[0].entropy.size(), 5U);
    EXPECT_EQ(some.runs[0].facts.size(), all.runs[0].facts.size());
    ASSERT_EQ(some.runs[1].problems.size(), 1U);
    EXPECT_TRUE(has(some.runs[1].problems[0], "The attention of 5 of 5 sentences is not shown"));
}

// What is kept of a translation does not grow with what cannot be shown.
TEST_F(ReviewTest, NoPictureIsKeptOfALongSentence) {
    std::string sentence = "a";
    for (int i = 0; i < 150; ++i) {
        sentence += " dog";
    }
    std::ofstream(source_) << sentence << "\n" << sentence.substr(0, 21) << "\n";
    std::ofstream(target_) << "a\nb\n";
    const Report report = review_runs({run_in("run")}, {});
    EXPECT_EQ(report.runs[0].entropy.size(), 2U);
    for (const SentenceGroup& group : report.groups) {
        for (const ReportSentence& shown : group.sentences) {
            EXPECT_EQ(shown.outputs[0].attention.has_value(), shown.number == 2);
        }
    }
}

TEST_F(ReviewTest, MarkupInTheCorpusAndTheConfigurationIsEscaped) {
    const std::string evil = "</script><script>alert(1)</script>";
    std::ofstream(source_) << evil << "\n<img src=x onerror=alert(2)>\n";
    std::ofstream(target_) << "\" onmouseover=\"alert(3)\n" << evil << "\n";
    const std::string run = run_in("<b>run<b>");
    std::ofstream(run + "/config.yaml", std::ios::app) << "# " << evil << "\n";
    const std::string page = report_page(review_runs({run}, {}));
    EXPECT_FALSE(has(page, "<script>alert"));
    EXPECT_FALSE(has(page, "<img"));
    EXPECT_FALSE(has(page, "\" onmouseover=\"alert"));
    EXPECT_FALSE(has(page, "<b>run"));
}

TEST_F(ReviewTest, WrittenWholeOrNotAtAll) {
    const Report report = review_runs({run_in("run")}, {});
    const std::string path = directory_.path("report.html");
    write_report(report, path);
    EXPECT_EQ(read_bytes(path), report_page(report));
    EXPECT_THROW(write_report(report, directory_.path("none/report.html")), Error);
}

}  // namespace
}  // namespace softalign
