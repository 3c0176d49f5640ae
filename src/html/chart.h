#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace softalign {

struct Point {
    double x = 0.0;
    double y = 0.0;  // one that cannot be drawn (is_drawable) is a gap
};

enum class Mark { line, dots_and_line, dots, bars };

// A chart has as many colours as this before they repeat; dashes tell the others.
constexpr std::size_t chart_colours = 8;

struct ChartSeries {
    std::string name;
    Mark mark = Mark::line;
    std::size_t colour = 0;
    bool dashed = false;
    std::vector<Point> points;  // ascending in x, but for dots; of bars x is the number of the category
};

struct Chart {
    std::string id;  // of the element; letters, digits and dashes
    std::string title;
    std::string x_label;
    std::string y_label;  // with the unit
    bool from_zero = false;
    std::vector<double> x_reaches;        // values that the x axis holds besides those of the points
    std::vector<std::string> categories;  // of bars
    std::vector<ChartSeries> series;
    std::string note;  // below it; may be empty
};

// Whether there is a point that can be drawn.
bool has_points(const Chart& chart);

// The chart as an HTML <figure>: inline SVG with axes and labels, a legend where there are several series, the values
// as a table that unfolds, and the data that report.js shows on hover and by the arrow keys. Lines of more points than
// can be told apart are averaged in groups, and the note says so. A chart without points says that there is nothing to
// show.
std::string chart_html(const Chart& chart);

// The sample of a series' mark and colour for legends: an SVG of 22 x 10.
std::string series_sample(const ChartSeries& series);

}  // namespace softalign
