#include "translate/lexical_counts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace softalign {

namespace {

using Cell = std::pair<std::int32_t, double>;

// The `count` cells of the greatest parts, best first, equal ones by id.
std::vector<Cell> greatest(const std::unordered_map<std::int32_t, double>& cells, std::size_t count) {
    std::vector<Cell> result(cells.begin(), cells.end());
    count = std::min(count, result.size());
    std::partial_sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(count), result.end(),
                      [](const Cell& a, const Cell& b) {
                          return a.second > b.second || (a.second == b.second && a.first < b.first);
                      });
    result.resize(count);
    return result;
}

}  // namespace

LexicalCounts::LexicalCounts(std::int32_t source_size, std::int32_t target_size)
    : rows_(static_cast<std::size_t>(source_size)), seen_(static_cast<std::size_t>(target_size)) {}

void LexicalCounts::add(std::int32_t source, std::int32_t target, double part) {
    Row& row = rows_[static_cast<std::size_t>(source)];
    row.cells[target] += part;
    row.total += part;
    if (row.cells.size() > most_cells) {
        const std::vector<Cell> kept = greatest(row.cells, most_cells / 2);
        row.cells = {kept.begin(), kept.end()};
    }
}

std::vector<LexicalCounts::Translation> LexicalCounts::best(std::int32_t source, std::size_t count) const {
    const Row& row = rows_[static_cast<std::size_t>(source)];
    std::vector<Translation> result;
    for (const auto& [target, part] : greatest(row.cells, count)) {
        result.push_back({target, part / row.total});
    }
    return result;
}

double LexicalCounts::probability(std::int32_t source, std::int32_t target) const {
    const Row& row = rows_[static_cast<std::size_t>(source)];
    const auto cell = row.cells.find(target);
    return cell == row.cells.end() ? 0.0 : cell->second / row.total;
}

std::vector<std::int32_t> LexicalCounts::most_frequent(std::size_t count) const {
    std::vector<std::int32_t> order(seen_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto times = [&](std::int32_t target) { return seen_[static_cast<std::size_t>(target)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return times(a) > times(b); });
    order.resize(std::min(count, order.size()));
    order.erase(std::find_if(order.begin(), order.end(), [&](std::int32_t target) { return times(target) == 0; }),
                order.end());
    return order;
}

}  // namespace softalign
