#include "html/chart.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "html/text.h"

namespace softalign {

namespace {

// In the units of the drawing, which the page scales.
constexpr double width = 480.0;
constexpr double height = 264.0;
constexpr double left = 56.0;
constexpr double right = 24.0;
constexpr double top = 30.0;
constexpr double bottom = 46.0;
constexpr std::size_t most_points = 240;  // of a line
constexpr std::size_t most_dots = 1500;

// Where values lie in the drawing.
struct Plane {
    Axis x;
    Axis y;
    double px(double value) const { return left + x.position(value) * (width - left - right); }
    double py(double value) const { return top + (1.0 - y.position(value)) * (height - top - bottom); }
};

bool shows(const Point& point) {
    return is_drawable(point.x) && is_drawable(point.y);
}

Plane plane_of(const Chart& chart) {
    std::vector<double> xs = chart.x_reaches;
    std::vector<double> ys;
    for (const ChartSeries& series : chart.series) {
        for (const Point& point : series.points) {
            if (shows(point)) {
                xs.push_back(point.x);
                ys.push_back(point.y);
            }
        }
    }
    Plane plane{make_tight_axis(xs, 5), make_axis(ys, chart.from_zero, 5)};
    if (!chart.categories.empty()) {
        plane.x = Axis{-0.5, static_cast<double>(chart.categories.size()) - 0.5, {}, 1.0};
    }
    return plane;
}

std::string y_axis(const Chart& chart, const Plane& plane) {
    std::string svg;
    for (const double tick : plane.y.ticks) {
        const double y = plane.py(tick);
        svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left,
                           width - right, y, y);
        svg += fmt::format("<text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", left - 6, y + 4,
                           tick_text(tick, plane.y.step));
    }
    return svg + fmt::format("<text class=\"label\" x=\"4\" y=\"14\">{}</text>\n", html_text(chart.y_label));
}

std::string x_tick(double x, const std::string& text) {
    return fmt::format(
        "<line class=\"tick\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"mid\" x=\"{0:.1f}\" y=\"{3}\">{4}</text>\n",
        x, height - bottom, height - bottom + 4, height - bottom + 18, text);
}

std::string x_axis(const Chart& chart, const Plane& plane) {
    std::string svg = fmt::format("<line class=\"axis\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", left,
                                  width - right, height - bottom, height - bottom);
    for (const double tick : plane.x.ticks) {
        svg += x_tick(plane.px(tick), tick_text(tick, plane.x.step));
    }
    for (std::size_t i = 0; i < chart.categories.size(); ++i) {
        svg += x_tick(plane.px(static_cast<double>(i)), html_text(chart.categories[i]));
    }
    return svg + fmt::format("<text class=\"label mid\" x=\"{}\" y=\"{}\">{}</text>\n", (left + width - right) / 2,
                             height - 6, html_text(chart.x_label));
}

std::string classes(const ChartSeries& series) {
    return fmt::format("c{}{}", series.colour % chart_colours, series.dashed ? " dashed" : "");
}

// One path for all: a line that starts anew after each gap, and dots as lines of no length with round ends.
std::string line_path(const ChartSeries& series, const Plane& plane) {
    std::string path;
    bool joined = false;
    for (const Point& point : series.points) {
        if (!shows(point)) {
            joined = false;
            continue;
        }
        path += fmt::format("{}{:.1f} {:.1f}", joined ? "L" : "M", plane.px(point.x), plane.py(point.y));
        joined = true;
    }
    return path;
}

std::string dots_path(const ChartSeries& series, const Plane& plane) {
    std::string path;
    for (const Point& point : series.points) {
        if (shows(point)) {
            path += fmt::format("M{:.1f} {:.1f}h0", plane.px(point.x), plane.py(point.y));
        }
    }
    return path;
}

// A line of one point alone would not be seen.
bool needs_dots(const ChartSeries& series) {
    return series.mark != Mark::line || std::count_if(series.points.begin(), series.points.end(), shows) == 1;
}

double bar_center(const Chart& chart, std::size_t series, double category, const Plane& plane, double& bar_width) {
    const double room = (width - left - right) / static_cast<double>(chart.categories.size());
    const auto bars = static_cast<double>(chart.series.size());
    bar_width = std::min(34.0, 0.76 * room / bars);
    return plane.px(category) + (static_cast<double>(series) - (bars - 1.0) / 2.0) * bar_width;
}

std::string bars(const Chart& chart, std::size_t number, const Plane& plane) {
    std::string svg;
    for (const Point& point : chart.series[number].points) {
        if (!shows(point)) {
            continue;
        }
        double wide = 0.0;
        const double center = bar_center(chart, number, point.x, plane, wide);
        const double y = plane.py(point.y);
        // Where there is room for the value above the bar.
        if (wide >= 30.0) {
            svg += fmt::format("<text class=\"mid\" x=\"{:.1f}\" y=\"{:.1f}\">{:.1f}</text>", center, y - 4, point.y);
        }
        svg += fmt::format("<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                           classes(chart.series[number]), center - wide / 2 + 0.5, y, wide - 1,
                           std::max(plane.py(0.0) - y, 0.5));
    }
    return svg + "\n";
}

std::string marks(const Chart& chart, std::size_t number, const Plane& plane) {
    const ChartSeries& series = chart.series[number];
    if (series.mark == Mark::bars) {
        return bars(chart, number, plane);
    }
    std::string svg;
    if (series.mark != Mark::dots) {
        svg += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", classes(series), line_path(series, plane));
    }
    if (needs_dots(series)) {
        svg += fmt::format("<path class=\"{} {}\" d=\"{}\"/>\n", series.mark == Mark::dots ? "cloud" : "dots",
                           classes(series), dots_path(series, plane));
    }
    return svg;
}

std::string legend(const Chart& chart) {
    if (chart.series.size() < 2) {
        return "";
    }
    std::string html = "<ul class=\"legend\">";
    for (const ChartSeries& series : chart.series) {
        html += "<li>" + series_sample(series) + "<bdi>" + html_text(series.name) + "</bdi></li>";
    }
    return html + "</ul>\n";
}

// What report.js needs: where each value is in the drawing and what to say of it.
std::string data(const Chart& chart, const Plane& plane) {
    nlohmann::ordered_json json{{"x", chart.x_label}, {"series", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const ChartSeries& series = chart.series[i];
        nlohmann::ordered_json points = nlohmann::ordered_json::array();
        for (const Point& point : series.points) {
            if (!shows(point)) {
                continue;
            }
            const bool bar = series.mark == Mark::bars;
            double wide = 0.0;
            const double px = bar ? bar_center(chart, i, point.x, plane, wide) : plane.px(point.x);
            const std::string x = bar ? chart.categories[static_cast<std::size_t>(point.x)] : value_text(point.x, 8);
            points.push_back(
                {std::round(px * 10) / 10, std::round(plane.py(point.y) * 10) / 10, x, value_text(point.y)});
        }
        json["series"].push_back({{"name", series.name},
                                  {"mark", series.mark == Mark::dots ? "dots" : ""},
                                  {"colour", series.colour % chart_colours},
                                  {"points", std::move(points)}});
    }
    return "<script type=\"application/json\">" + script_json(json_text(json)) + "</script>\n";
}

std::string picture(const Chart& chart, const Plane& plane) {
    const std::string title = html_text(chart.title);
    std::string html = "<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"" + title +
                       ": the arrow keys go from value to value\">\n";
    html += fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width, height, title);
    html += y_axis(chart, plane) + x_axis(chart, plane);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        html += marks(chart, i, plane);
    }
    return html + "</svg></div>\n<p class=\"readout\" role=\"status\"></p>\n";
}

// The chart as it is drawn, and what was done to it.
Chart prepared(const Chart& chart) {
    Chart result = chart;
    result.series.clear();
    std::size_t each = 1;
    std::size_t left_out = 0;
    for (const ChartSeries& series : chart.series) {
        const std::size_t most = series.mark == Mark::dots ? most_dots : most_points;
        ThinnedSeries part = thinned(series, most);
        each = std::max(each, part.each);
        left_out += part.left_out;
        if (std::any_of(part.series.points.begin(), part.series.points.end(), shows)) {
            result.series.push_back(std::move(part.series));
        }
    }
    const auto add = [&](const std::string& text) { result.note += (result.note.empty() ? "" : " ") + text; };
    if (each > 1) {
        add(fmt::format("Each point of a line is the mean of up to {} records.", each));
    }
    if (left_out > 0) {
        add(fmt::format("{} value{} that {} not finite left a gap.", left_out, left_out == 1 ? "" : "s",
                        left_out == 1 ? "is" : "are"));
    }
    return result;
}

}  // namespace

bool has_points(const Chart& chart) {
    return std::any_of(chart.series.begin(), chart.series.end(), [](const ChartSeries& series) {
        return std::any_of(series.points.begin(), series.points.end(), shows);
    });
}

std::string series_sample(const ChartSeries& series) {
    const std::string name = classes(series);
    std::string svg = "<svg class=\"sample\" viewBox=\"0 0 22 10\" aria-hidden=\"true\">";
    if (series.mark == Mark::bars) {
        return svg + "<rect class=\"bar " + name + "\" x=\"6\" y=\"0\" width=\"10\" height=\"10\"/></svg>";
    }
    if (series.mark != Mark::dots) {
        svg += "<path class=\"line " + name + "\" d=\"M0 5h22\"/>";
    }
    if (series.mark != Mark::line) {
        svg += "<path class=\"dots " + name + "\" d=\"M11 5h0\"/>";
    }
    return svg + "</svg>";
}

std::string chart_html(const Chart& chart) {
    const Chart drawn = prepared(chart);
    std::string html = "<figure class=\"chart\" id=\"" + html_text(chart.id) + "\">\n<figcaption><h3>" +
                       html_text(chart.title) + "</h3></figcaption>\n";
    if (drawn.series.empty()) {
        html += "<p class=\"empty\">There is nothing to show.</p>\n";
    } else {
        const Plane plane = plane_of(drawn);
        html += legend(drawn) + picture(drawn, plane) + data(drawn, plane);
    }
    if (!drawn.note.empty()) {
        html += "<p class=\"note\">" + html_text(drawn.note) + "</p>\n";
    }
    if (!drawn.series.empty()) {
        html += "<details class=\"values\"><summary>Values as a table</summary>" + chart_table(drawn) + "</details>\n";
    }
    return html + "</figure>\n";
}

}  // namespace softalign
