#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace softalign {

struct Point {
    double x = 0.0;
    double y = 0.0;  // a value that cannot be drawn (is_drawable) leaves a gap
};

enum class Mark { line, dots_and_line, dots, bars };

// The number of colours before they repeat; dashes distinguish the series beyond them.
constexpr std::size_t chart_colours = 8;

struct ChartSeries {
    std::string name;
    Mark mark = Mark::line;
    std::size_t colour = 0;
    bool dashed = false;
    std::vector<Point> points;  // ascending in x, except dots; x of bars is the number of the category
};

struct Chart {
    std::string id;  // of the element; letters, digits and dashes
    std::string title;
    std::string x_label;
    std::string y_label;  // with the unit
    bool from_zero = false;
    std::vector<double> x_reaches;        // values that the x axis covers besides those of the points
    std::vector<std::string> categories;  // of bars
    std::vector<ChartSeries> series;
    std::string note;  // shown below; may be empty
};

// Whether any point can be drawn.
bool has_points(const Chart& chart);

// The chart as an HTML <figure>: inline SVG with axes and labels, a legend if there are several series, an expandable
// table of the values, and the data that report.js shows on hover and with the arrow keys. Lines with more points than
// can be distinguished are averaged in groups, and the note says so. A chart without points says that there is nothing
// to show.
std::string chart_html(const Chart& chart);

// A series' mark and colour for legends: an SVG of 22 x 10.
std::string series_sample(const ChartSeries& series);

}  // namespace softalign
