#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace softalign {

// Whether a chart can show a value: finite, and small enough that differences do not overflow.
bool is_drawable(double value);

// An axis from `low` to `high` with marks at round numbers.
struct Axis {
    double low = 0.0;
    double high = 1.0;
    std::vector<double> ticks;  // ascending, within low..high, at least two
    double step = 1.0;          // between ticks

    // 0 at low, 1 at high.
    double position(double value) const { return (value - low) / (high - low); }
};

// An axis that covers all drawable values, with about `intervals` intervals of 1, 2 or 5 times a power of ten. If the
// values are all equal or there are none, the axis surrounds them. `from_zero`: includes 0.
Axis make_axis(const std::vector<double>& values, bool from_zero, int intervals);

// The same without margins beyond the values: for updates.
Axis make_tight_axis(const std::vector<double>& values, int intervals);

// The label of a tick, with as many digits as the step needs: "0.25", "2000", "4e-4".
std::string tick_text(double value, double step);

// A value with at most `digits` significant digits, without trailing zeros: "35.86", "0.0004", "1.2e-5".
std::string value_text(double value, int digits = 5);

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

struct ThinnedSeries {
    ChartSeries series;        // what can be drawn; gaps stay, as points whose y is not finite
    std::size_t each = 1;      // points averaged into one
    std::size_t left_out = 0;  // values that were not finite
};

// Reduces a line to at most `most` points: if there are more, the mean of each group of neighbours; no group spans a
// gap. Of dots, keeps the first `most`.
ThinnedSeries thinned(const ChartSeries& series, std::size_t most);

// The values of a chart as a table: a row for each x, a column for each series; dots with the same x are averaged.
std::string chart_table(const Chart& chart);

}  // namespace softalign
