#include "html/chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "html/text.h"

namespace softalign {

namespace {

bool drawable(const Point& point) {
    return is_drawable(point.x) && is_drawable(point.y);
}

std::vector<Point> averaged(const std::vector<Point>& points, std::size_t each) {
    std::vector<Point> result;
    Point sum;
    std::size_t count = 0;
    const auto end_group = [&] {
        if (count > 0) {
            const auto n = static_cast<double>(count);
            result.push_back({sum.x / n, sum.y / n});
        }
        sum = {};
        count = 0;
    };
    for (const Point& point : points) {
        if (!drawable(point)) {
            end_group();
            result.push_back(point);
            continue;
        }
        sum.x += point.x;
        sum.y += point.y;
        if (++count == each) {
            end_group();
        }
    }
    end_group();
    return result;
}

std::string x_text(const Chart& chart, double x) {
    if (chart.categories.empty()) {
        return value_text(x, 8);
    }
    const auto number = static_cast<std::size_t>(x);
    return number < chart.categories.size() ? html_text(chart.categories[number]) : "";
}

// For each x the means of the series; not a number where one has nothing.
std::map<double, std::vector<double>> table_rows(const Chart& chart) {
    const std::size_t columns = chart.series.size();
    std::map<double, std::vector<double>> sums;
    std::map<double, std::vector<double>> counts;
    for (std::size_t i = 0; i < columns; ++i) {
        for (const Point& point : chart.series[i].points) {
            sums.try_emplace(point.x, columns, 0.0).first->second[i] += point.y;
            counts.try_emplace(point.x, columns, 0.0).first->second[i] += 1.0;
        }
    }
    for (auto& [x, row] : sums) {
        const std::vector<double>& count = counts.at(x);
        for (std::size_t i = 0; i < columns; ++i) {
            row[i] = count[i] > 0.0 ? row[i] / count[i] : std::numeric_limits<double>::quiet_NaN();
        }
    }
    return sums;
}

}  // namespace

ThinnedSeries thinned(const ChartSeries& series, std::size_t most) {
    ThinnedSeries result{series, 1, 0};
    std::vector<Point>& points = result.series.points;
    // What has no place on the x axis leaves no gap either.
    points.erase(std::remove_if(points.begin(), points.end(), [](const Point& p) { return !is_drawable(p.x); }),
                 points.end());
    result.left_out = static_cast<std::size_t>(
        std::count_if(points.begin(), points.end(), [](const Point& point) { return !drawable(point); }));
    for (Point& point : points) {
        point.y = is_drawable(point.y) ? point.y : std::numeric_limits<double>::quiet_NaN();
    }
    if (points.size() <= most || series.mark == Mark::bars) {
        return result;
    }
    if (series.mark == Mark::dots) {
        points.resize(most);
        return result;
    }
    result.each = (points.size() + most - 1) / most;
    points = averaged(points, result.each);
    return result;
}

std::string chart_table(const Chart& chart) {
    const std::map<double, std::vector<double>> rows = table_rows(chart);
    std::string html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_text(chart.title) +
                       " as a table\"><table><thead><tr><th scope=\"col\">" + html_text(chart.x_label) + "</th>";
    for (const ChartSeries& series : chart.series) {
        html += "<th scope=\"col\">" + html_text(series.name) + (series.mark == Mark::dots ? " (mean)" : "") + "</th>";
    }
    html += "</tr></thead><tbody>\n";
    for (const auto& [x, values] : rows) {
        html += "<tr><th scope=\"row\">" + x_text(chart, x) + "</th>";
        for (const double value : values) {
            html += "<td>" + (std::isfinite(value) ? value_text(value) : std::string()) + "</td>";
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>";
}

}  // namespace softalign
