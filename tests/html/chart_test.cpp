#include "html/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace softalign {
namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

Chart chart_of(const std::vector<Point>& points, Mark mark = Mark::line) {
    Chart chart;
    chart.id = "chart";
    chart.title = "Loss";
    chart.x_label = "Updates";
    chart.y_label = "nats";
    chart.series = {{"training", mark, 0, false, points}};
    return chart;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

nlohmann::json data_of(const std::string& html) {
    const std::string start = "<script type=\"application/json\">";
    const auto begin = html.find(start) + start.size();
    return nlohmann::json::parse(html.substr(begin, html.find("</script>") - begin));
}

std::string line_of(const std::string& html) {
    std::smatch found;
    return std::regex_search(html, found, std::regex("class=\"line [^\"]*\" d=\"([^\"]*)\"")) ? found[1].str() : "none";
}

TEST(Chart, ShowsTitleAxesUnitAndATable) {
    const std::string html = chart_html(chart_of({{50, 7.9}, {100, 6.3}}));
    EXPECT_NE(html.find("<h3>Loss</h3>"), std::string::npos);
    EXPECT_NE(html.find(">Updates</text>"), std::string::npos);
    EXPECT_NE(html.find(">nats</text>"), std::string::npos);
    EXPECT_NE(html.find("<th scope=\"row\">50</th><td>7.9</td>"), std::string::npos);
    EXPECT_EQ(count(line_of(html), "M"), 1U);
    EXPECT_EQ(count(line_of(html), "L"), 1U);
}

TEST(Chart, DataHasTheValuesAndTheirPlaces) {
    const nlohmann::json data = data_of(chart_html(chart_of({{50, 8}, {100, 6}})));
    const nlohmann::json& points = data["series"][0]["points"];
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0][2], "50");
    EXPECT_EQ(points[0][3], "8");
    EXPECT_LT(points[0][0].get<double>(), points[1][0].get<double>());
    EXPECT_LT(points[0][1].get<double>(), points[1][1].get<double>());  // the greater value is higher up
    for (const auto& point : points) {
        EXPECT_GE(point[0].get<double>(), 0.0);
        EXPECT_LE(point[0].get<double>(), 480.0);
        EXPECT_GE(point[1].get<double>(), 0.0);
        EXPECT_LE(point[1].get<double>(), 264.0);
    }
}

TEST(Chart, ValuesThatAreNotFiniteLeaveAGapAndAWord) {
    const std::string html = chart_html(chart_of({{1, 1}, {2, 2}, {3, missing}, {4, 3}, {5, 1e300}, {6, 2}}));
    EXPECT_EQ(count(line_of(html), "M"), 3U);
    EXPECT_NE(html.find("2 values that are not finite left a gap."), std::string::npos);
    EXPECT_EQ(html.find("nan"), std::string::npos);
    EXPECT_EQ(html.find("inf"), std::string::npos);
}

TEST(Chart, OnePointIsADot) {
    const std::string html = chart_html(chart_of({{10, 5}}));
    EXPECT_NE(html.find("class=\"dots c0\""), std::string::npos);
    EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(Chart, ConstantSeriesIsALineInTheMiddle) {
    const nlohmann::json data = data_of(chart_html(chart_of({{1, 3}, {2, 3}})));
    EXPECT_EQ(data["series"][0]["points"][0][1], data["series"][0]["points"][1][1]);
}

TEST(Chart, NothingToShowIsSaid) {
    for (const std::vector<Point>& points : std::vector<std::vector<Point>>{{}, {{1, missing}}}) {
        const Chart chart = chart_of(points);
        EXPECT_FALSE(has_points(chart));
        const std::string html = chart_html(chart);
        EXPECT_NE(html.find("nothing to show"), std::string::npos);
        EXPECT_EQ(html.find("<svg"), std::string::npos);
    }
}

TEST(Chart, LongLinesAreAveraged) {
    std::vector<Point> points;
    for (int i = 0; i < 1000; ++i) {
        points.push_back({static_cast<double>(i), static_cast<double>(i)});
    }
    const std::string html = chart_html(chart_of(points));
    EXPECT_EQ(data_of(html)["series"][0]["points"].size(), 200U);
    EXPECT_NE(html.find("mean of up to 5 records"), std::string::npos);
    EXPECT_EQ(data_of(html)["series"][0]["points"][0][3], "2");
}

TEST(Thinned, MeansDoNotReachAcrossAGap) {
    const ChartSeries series{"", Mark::line, 0, false, {{0, 1}, {1, 3}, {2, 5}, {3, missing}, {4, 7}, {5, 9}}};
    const ThinnedSeries result = thinned(series, 3);
    EXPECT_EQ(result.each, 2U);
    EXPECT_EQ(result.left_out, 1U);
    ASSERT_EQ(result.series.points.size(), 4U);
    EXPECT_EQ(result.series.points[0].y, 2);
    EXPECT_EQ(result.series.points[1].y, 5);
    EXPECT_FALSE(is_drawable(result.series.points[2].y));
    EXPECT_EQ(result.series.points[3].y, 8);
}

TEST(ChartTable, DotsWithTheSameXAreAveraged) {
    const std::string table = chart_table(chart_of({{5, 1}, {5, 2}, {6, 4}}, Mark::dots));
    EXPECT_NE(table.find("training (mean)"), std::string::npos);
    EXPECT_NE(table.find("<th scope=\"row\">5</th><td>1.5</td>"), std::string::npos);
    EXPECT_NE(table.find("<th scope=\"row\">6</th><td>4</td>"), std::string::npos);
}

TEST(Chart, BarsHaveCategories) {
    Chart chart = chart_of({{0, 30}, {1, 20}}, Mark::bars);
    chart.categories = {"1-5", "<6>"};
    chart.from_zero = true;
    const std::string html = chart_html(chart);
    EXPECT_EQ(count(html, "<rect class=\"bar c0\""), 2U);
    EXPECT_NE(html.find(">1-5</text>"), std::string::npos);
    EXPECT_NE(html.find(">&lt;6&gt;</text>"), std::string::npos);
    EXPECT_EQ(data_of(html)["series"][0]["points"][1][2], "<6>");
}

TEST(Chart, SeveralSeriesHaveALegendAndOneHasNone) {
    Chart chart = chart_of({{1, 1}, {2, 2}});
    EXPECT_EQ(chart_html(chart).find("class=\"legend\""), std::string::npos);
    chart.series.push_back({"second", Mark::line, 9, true, {{1, 2}, {2, 1}}});
    const std::string html = chart_html(chart);
    EXPECT_NE(html.find("class=\"legend\""), std::string::npos);
    EXPECT_NE(html.find("class=\"line c1 dashed\""), std::string::npos);  // the ninth colour is the first again
}

TEST(Chart, NamesAreEscapedEverywhere) {
    const std::string evil = "</script><img src=x onerror=alert(1)>\"'";
    Chart chart = chart_of({{1, 1}, {2, 2}});
    chart.title = chart.x_label = chart.y_label = chart.note = evil;
    chart.series.push_back({evil, Mark::line, 1, false, {{1, 2}}});
    chart.series[0].name = evil;
    const std::string html = chart_html(chart);
    EXPECT_EQ(html.find("<img"), std::string::npos);
    EXPECT_EQ(count(html, "</script>"), 1U);
    EXPECT_EQ(data_of(html)["series"][1]["name"], evil);
}

}  // namespace
}  // namespace softalign
