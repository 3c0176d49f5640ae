#pragma once

#include <cstddef>
#include <string>

#include "html/chart.h"

namespace softalign {

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
