#include "metrics/table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/terminal_text.h"
#include "metrics/format.h"
#include "metrics/unicode.h"

namespace softalign {

namespace {

std::string cell_text(const nlohmann::ordered_json& cell, int digits) {
    if (cell.is_null()) {
        return "-";
    }
    if (cell.is_number_float()) {
        return fixed(cell.get<double>(), digits);
    }
    return terminal_text(cell.is_string() ? cell.get<std::string>() : json_text(cell));
}

// Texts stand on the left, figures on the right.
std::string padded(const std::string& text, std::size_t width, bool left) {
    const std::size_t length = decode_utf8(text).size();
    const std::string space(width > length ? width - length : 0, ' ');
    return left ? text + space : space + text;
}

}  // namespace

std::string format_table(const Table& table, int digits) {
    std::vector<std::vector<std::string>> lines{table.columns};
    for (const auto& row : table.rows) {
        std::vector<std::string> texts;
        for (const nlohmann::ordered_json& cell : row) {
            texts.push_back(cell_text(cell, digits));
        }
        lines.push_back(texts);
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const std::vector<std::string>& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], decode_utf8(line[i]).size());
        }
    }
    std::string text = table.title.empty() ? "" : table.title + "\n";
    for (const std::vector<std::string>& line : lines) {
        std::string shown;
        for (std::size_t i = 0; i < line.size(); ++i) {
            shown += (i == 0 ? "" : "  ") + padded(line[i], widths[i], i == 0);
        }
        text += std::string(strip_right(shown)) + "\n";
    }
    return text;
}

nlohmann::ordered_json table_as_json(const Table& table) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
        nlohmann::ordered_json named;
        for (std::size_t i = 0; i < row.size(); ++i) {
            named[table.columns[i]] = row[i];
        }
        rows.push_back(named);
    }
    return {{"title", table.title}, {"rows", rows}};
}

}  // namespace softalign
