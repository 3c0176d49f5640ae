#include "translate/rescoring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "text/fixtures.h"
#include "toy_translator.h"

namespace softalign {
namespace {

const std::string list_text =
    "0 ||| 7 8 ||| -0.5\n"
    "0 ||| 9 ||| X= 1 ||| -0.6\n"
    "0 ||| 7 9 11 12 ||| -0.7\n"
    "2 ||| 5 ||| -0.1\n";

class Rescoring : public testing::Test {
protected:
    std::vector<NBestBlock> rescore(const RescoringOptions& options, const std::string& text = list_text) {
        NBestReader list(folder_.write("list", text), folder_.write("source", "4 5 6\n7\n8 9\n"), false);
        std::vector<NBestBlock> blocks;
        for (NBestBlock block; list.next(block);) {
            blocks.push_back(block);
        }
        Scorer scorer(*toy_.model, toy_.source, toy_.target, ScoreOptions{});
        Rescorer rescorer(scorer, options);
        rescorer.rescore(blocks, list);
        EXPECT_EQ(rescorer.entries(), static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\n')));
        return blocks;
    }

    double log_prob(const std::string& source, const std::string& target) const {
        return Scorer(*toy_.model, toy_.source, toy_.target, ScoreOptions{}).score({{source, target}}).front().log_prob;
    }

    // The number of the last feature.
    static double last_feature(const NBestEntry& entry) {
        return std::stod(entry.features.substr(entry.features.rfind(' ')));
    }

    ToyTranslator toy_;
    TemporaryFolder folder_;
};

TEST_F(Rescoring, AddsTheLogProbabilityAndLeavesTheRest) {
    const auto blocks = rescore({});
    ASSERT_EQ(blocks.size(), 2U);
    const auto& entries = blocks[0].entries;
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].features.substr(0, 10), "Rescore= -");
    EXPECT_EQ(entries[1].features.substr(0, 15), "X= 1 Rescore= -");
    EXPECT_NEAR(last_feature(entries[0]), log_prob("4 5 6", "7 8"), 1e-4);
    EXPECT_NEAR(last_feature(entries[1]), log_prob("4 5 6", "9"), 1e-4);
    EXPECT_NEAR(last_feature(blocks[1].entries[0]), log_prob("8 9", "5"), 1e-4);
    EXPECT_EQ(entries[0].score, "-0.5");
    EXPECT_EQ(entries[2].score, "-0.7");
}

TEST_F(Rescoring, InterpolatesAndSorts) {
    RescoringOptions options;
    options.feature = "Toy";
    options.search.length_alpha = 0.8;
    for (const LengthNorm norm : {LengthNorm::power, LengthNorm::wu}) {
        for (const double weight : {0.0, 0.4, 1.0}) {
            options.search.length_norm = norm;
            options.interpolate = weight;
            const auto blocks = rescore(options);
            double last = INFINITY;
            for (const NBestEntry& entry : blocks[0].entries) {
                EXPECT_NE(entry.features.find("Toy= "), std::string::npos);
                const double old = entry.text == "7 8" ? -0.5 : entry.text == "9" ? -0.6 : -0.7;
                const double tokens = entry.text == "7 8" ? 3.0 : entry.text == "9" ? 2.0 : 5.0;
                const double norm_of_length = std::pow(norm == LengthNorm::wu ? (5.0 + tokens) / 6.0 : tokens, 0.8);
                const double expected = (1.0 - weight) * old + weight * log_prob("4 5 6", entry.text) / norm_of_length;
                EXPECT_NEAR(entry.value, expected, 1e-4);
                EXPECT_NEAR(std::stod(entry.score), expected, 1e-4);
                EXPECT_LE(entry.value, last);
                last = entry.value;
            }
            EXPECT_TRUE(weight > 0.0 || blocks[0].entries[0].text == "7 8");
        }
    }
}

TEST_F(Rescoring, EqualEntriesStayInTheirOrder) {
    RescoringOptions options;
    options.interpolate = 0.0;
    const auto blocks = rescore(options, "0 ||| 5 ||| -2\n0 ||| 6 ||| -1\n0 ||| 7 ||| -2\n0 ||| 8 ||| -1\n");
    std::string order;
    for (const NBestEntry& entry : blocks[0].entries) {
        order += entry.text;
    }
    EXPECT_EQ(order, "6857");
}

TEST_F(Rescoring, AFeatureThatIsThereAlreadyIsAnError) {
    RescoringOptions options;
    options.feature = "X";
    EXPECT_EQ(error_of(ExitCode::data, [&] { rescore(options); }),
              folder_.path("list") +
                  ":2: the entry has a feature X already; give the new one another name with --feature-name");
}

TEST_F(Rescoring, OptionsOutOfRangeAreErrors) {
    for (const char* name : {"", "a b", "a=", "a|b"}) {
        RescoringOptions options;
        options.feature = name;
        error_of(ExitCode::configuration, [&] { rescore(options); });
    }
    for (const double weight : {-0.1, 1.1, static_cast<double>(NAN)}) {
        RescoringOptions options;
        options.interpolate = weight;
        error_of(ExitCode::configuration, [&] { rescore(options); });
    }
}

}  // namespace
}  // namespace softalign
