#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace softalign {

// Rows of texts and numbers, for people and for programs.
struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows;  // null = nothing to say
};

// The title, if there is one, and aligned columns, numbers with so many digits behind the point; each line with its
// end.
std::string format_table(const Table& table, int digits);
// {"title": ..., "rows": [{column: value, ...}, ...]}.
nlohmann::ordered_json table_as_json(const Table& table);

}  // namespace softalign
