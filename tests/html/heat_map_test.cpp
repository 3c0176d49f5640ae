#include "html/sentence_views.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/has.h"

namespace softalign {
namespace {

TEST(HeatMap, WeightsLabelsAndShades) {
    const std::string html =
        heat_map_html({{"the", "dog", "</s>"}, {"der", "</s>"}, {{0.75F, 0.25F, 0}, {0, 0, 1}}}, "A");
    EXPECT_TRUE(has(html, "data-weights=\"750 250 0;0 0 1000\""));
    EXPECT_TRUE(has(html, "<path fill=\"#ffffff\" d=\"M2 1h1v1h-1z\"/>"));
    EXPECT_TRUE(has(html, "d=\"M0 0h1v1h-1z\""));
    EXPECT_TRUE(has(html, ">dog<title>dog</title></text>"));
    EXPECT_TRUE(has(html, ">&lt;/s&gt;<title>&lt;/s&gt;</title>"));
    EXPECT_FALSE(has(html, "fill=\"#000000\""));  // what is black is the ground
}

TEST(HeatMap, LongLabelsAreShortenedAndKeptWhole) {
    const std::string longest = "Donaudampfschifffahrtsgesellschaftskapitän";
    const std::string html = heat_map_html({{longest}, {"x"}, {{1}}}, "A");
    EXPECT_TRUE(has(html, ">Donaudampfschifff…<title>" + longest + "</title>"));
}

TEST(HeatMap, LabelsAndNamesAreEscaped) {
    const std::string evil = "\"><script>alert(1)</script>";
    const std::string html = heat_map_html({{evil}, {evil}, {{1}}}, evil);
    EXPECT_FALSE(has(html, "<script"));
    EXPECT_FALSE(has(html, "label=\"\">"));
}

TEST(HeatMap, WeightsThatAreNoneCountAsZero) {
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    const std::string html = heat_map_html({{"a", "b", "c"}, {"d"}, {{not_a_number, -1, 7}}}, "A");
    EXPECT_TRUE(has(html, "data-weights=\"0 0 1000\""));
}

TEST(HeatMap, LargePicturesScrollAndSmallOnesShrink) {
    const std::vector<std::string> words(60, "word");
    const std::vector<std::vector<float>> weights(60, std::vector<float>(60, 1.0F / 60));
    EXPECT_FALSE(has(heat_map_html({words, words, weights}, "A"), "class=\"shrinks\""));
    EXPECT_TRUE(has(heat_map_html({{"a"}, {"b"}, {{1}}}, "A"), "class=\"shrinks\""));
}

TEST(MeanEntropy, InBits) {
    EXPECT_DOUBLE_EQ(mean_entropy({{1, 0}, {0, 1}}), 0.0);
    EXPECT_DOUBLE_EQ(mean_entropy({{0.5F, 0.5F}}), 1.0);
    EXPECT_DOUBLE_EQ(mean_entropy({{0.25F, 0.25F, 0.25F, 0.25F}, {1, 0, 0, 0}}), 1.0);
    EXPECT_DOUBLE_EQ(mean_entropy({{0.25F, 0.25F}}), 1.0);  // rows need not sum to 1
    EXPECT_DOUBLE_EQ(mean_entropy({{0, 0}}), 0.0);
    EXPECT_DOUBLE_EQ(mean_entropy({}), 0.0);
}

}  // namespace
}  // namespace softalign
