#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace softalign {

// Rows of texts and numbers, printed as text or as JSON.
struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows;  // null = empty cell
};

// The title, if there is one, and aligned columns, with this number of decimals. Each line ends in
// LF.
std::string format_table(const Table& table, int digits);
// {"title": ..., "rows": [{column: value, ...}, ...]}.
nlohmann::ordered_json table_as_json(const Table& table);

}  // namespace softalign
