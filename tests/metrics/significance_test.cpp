#include "metrics/significance.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/numpy_random.h"
#include "metrics/text_metric.h"

namespace softalign {
namespace {

using nlohmann::json;
using Numbers = std::vector<std::uint32_t>;

std::vector<int> first_bits(const Numbers& words, std::size_t count) {
    std::vector<int> bits;
    for (std::size_t i = 0; i < count; ++i) {
        bits.push_back(static_cast<int>(words[i / 32] >> i % 32 & 1));
    }
    return bits;
}

// What numpy 1.24 draws.
TEST(NumpyGenerator, DrawsWhatNumpyDraws) {
    EXPECT_EQ(NumpyGenerator(12345).choices(10, 20),
              (Numbers{6, 2, 7, 3, 2, 7, 6, 6, 9, 3, 8, 3, 5, 5, 2, 1, 2, 6, 6, 9}));
    EXPECT_EQ(NumpyGenerator(0).choices(7, 12), (Numbers{5, 4, 3, 1, 2, 0, 0, 0, 1, 5, 4, 6}));
    NumpyGenerator large((std::uint64_t{1} << 40) + 7);
    EXPECT_EQ(large.choices(4000000000, 6),
              (Numbers{826057830, 3319251567, 2438016523, 1021220632, 68041685, 615162863}));
    EXPECT_EQ(large.choices(1, 2), (Numbers{0, 0}));
    EXPECT_EQ(large.choices(5, 4), (Numbers{2, 3, 4, 3}));
}

TEST(NumpyGenerator, DrawsTheBitsThatNumpyDraws) {
    NumpyGenerator generator(12345);
    EXPECT_EQ(first_bits(generator.bits(70), 70),
              (std::vector<int>{1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1,
                                0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0}));
    EXPECT_EQ(generator.choices(3000, 5), (Numbers{950, 612, 2392, 1928, 2028}));
}

std::unique_ptr<TextMetric> metric_named(const std::string& name) {
    return name == "bleu" ? make_bleu({}) : name == "chrf" ? make_chrf({}) : make_ter({});
}

void expect_interval(const Confidence& confidence, const json& expected) {
    EXPECT_EQ(confidence.mean, expected.at(0).get<double>());
    EXPECT_EQ(confidence.interval, expected.at(1).get<double>());
}

void expect_results(const std::vector<TestResult>& results, const json& scores, const json& expected) {
    ASSERT_EQ(results.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(results[i].score, scores.at(i).get<double>());
        ASSERT_TRUE(results[i].confidence);
        expect_interval(*results[i].confidence, expected.at("intervals").at(i));
    }
    EXPECT_FALSE(results[0].p_value);
    EXPECT_EQ(results[1].p_value, expected.at("p").get<double>());
}

// Calculated with numpy: make_significance_golden.py, beside this file.
TEST(Significance, IsThatOfTheScriptToTheLastBit) {
    std::ifstream file(SOFTALIGN_SOURCE_DIR "/tests/metrics/significance_golden.json");
    for (const json& expected : json::parse(file)) {
        const std::vector<std::vector<std::string>> streams = expected.at("references");
        SCOPED_TRACE(expected.at("metric").get<std::string>() + " " + std::to_string(streams.size()));
        const std::unique_ptr<TextMetric> metric = metric_named(expected.at("metric"));
        const ReferenceSet references(streams, EmptyReferences::count);
        const std::vector<std::string> first = expected.at("hypotheses").at(0);
        const std::vector<std::string> second = expected.at("hypotheses").at(1);
        const auto systems = collect_statistics(*metric, references, {&first, &second});
        const ResamplingOptions resamples{1000, 12345, 2};
        expect_interval(bootstrap_confidence(*metric, systems[0], resamples), expected.at("confidence"));
        expect_results(paired_bootstrap(*metric, systems, resamples), expected.at("scores"), expected.at("bootstrap"));
        expect_results(paired_randomization(*metric, systems, {2000, 12345, 2}, 1000), expected.at("scores"),
                       expected.at("randomization"));
    }
}

TEST(Significance, OfASystemAndItselfIsNone) {
    const std::vector<std::vector<std::string>> streams{{"a b c d", "e f g h", "i j k l"}};
    const std::vector<std::string> hypotheses{"a b c d", "e f x h", "i j k l m"};
    const std::unique_ptr<TextMetric> metric = make_bleu({});
    const auto systems =
        collect_statistics(*metric, ReferenceSet(streams, EmptyReferences::count), {&hypotheses, &hypotheses});
    const auto randomized = paired_randomization(*metric, systems, {100, 1, 1}, 0);
    EXPECT_FALSE(randomized[0].confidence);
    EXPECT_LT(*randomized[1].p_value, 0.01);  // sacreBLEU's: no trial differs more than not at all
    EXPECT_EQ(randomized[0].score, randomized[1].score);
}

}  // namespace
}  // namespace softalign
