#pragma once

#include <cstddef>
#include <string>

#include "html/chart.h"

namespace softalign {

struct ThinnedSeries {
    ChartSeries series;        // what can be drawn; gaps stay as points with y not finite
    std::size_t each = 1;      // points averaged into one
    std::size_t left_out = 0;  // values that were not finite
};

// At most `most` points of a line: where there are more, the mean of each group of neighbours, no group across a gap.
// Of dots, the first `most`.
ThinnedSeries thinned(const ChartSeries& series, std::size_t most);

// The values of a chart as a table: a row for each x, a column for each series; of dots with the same x the mean.
std::string chart_table(const Chart& chart);

}  // namespace softalign
